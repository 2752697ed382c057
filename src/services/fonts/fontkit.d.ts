declare module "fontkit" {
  /** The part that this service uses. */
  export function create(bytes: Uint8Array): { characterSet: number[] };
}
