// Outside providers that the operator of the service has accounts with.
import type { AiSettings } from "./ai_formats.ts";
import type { OauthProviders } from "./oauth_providers.ts";
import type { PeopleDataLabsAccount } from "./people_data_labs.ts";

export interface Providers {
  /** Through what members connect their accounts at Google and Microsoft. */
  oauth: OauthProviders;
  /** Where leads and contacts are looked up by organizations without credentials of their own. Null without an account. */
  people_data_labs: PeopleDataLabsAccount | null;
  /** The model that writes for the helpers, and its limits. */
  ai: AiSettings;
}
