// The pages where people sign in.
import type { PublicRoute } from "../records/public_route.ts";
import { signInPage } from "./sign_in_page.ts";

export const signInPages: readonly PublicRoute[] = [signInPage];
