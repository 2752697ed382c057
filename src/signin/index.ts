// The pages where people sign in, and look after their own account.
import type { PublicRoute } from "../records/public_route.ts";
import { accountPage, changePasswordPage } from "./account_page.ts";
import { apiKeysPage } from "./api_keys_page.ts";
import { confirmPage } from "./confirm_page.ts";
import { invitationPage } from "./invitation_page.ts";
import { passkeysPage, signInPasskeyPage } from "./passkey_pages.ts";
import { forgottenPage, passwordPage } from "./password_page.ts";
import { signInPage } from "./sign_in_page.ts";
import { signInCodePage, twoFactorPage } from "./two_factor_page.ts";

export const signInPages: readonly PublicRoute[] = [
  signInPage,
  signInCodePage,
  signInPasskeyPage,
  invitationPage,
  forgottenPage,
  passwordPage,
  accountPage,
  changePasswordPage,
  confirmPage,
  apiKeysPage,
  passkeysPage,
  twoFactorPage,
];
