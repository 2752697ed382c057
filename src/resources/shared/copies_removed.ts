/** What became of files that were made of everybody's records: how many were removed, and how many are being written and begin anew. */
export interface CopiesRemoved {
  removed: number;
  under_way: number;
}
