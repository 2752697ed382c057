declare module "fontkit" {
  /** The part that this service uses. */
  export interface Font {
    characterSet: number[];
  }
  export function create(bytes: Uint8Array): Font;
}
