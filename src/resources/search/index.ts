import type { Operation } from "../../core/operation.ts";
import { dataSearch } from "./data_search.ts";

export const search: Operation[] = [dataSearch];
