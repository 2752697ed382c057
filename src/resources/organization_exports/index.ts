import type { Operation } from "../../core/operation.ts";
import { standard } from "../../records/standard.ts";
import { downloadOrganizationExport } from "./download.ts";
import { organizationExport } from "./organization_export.ts";
import { exportOrganization } from "./start.ts";

export const organizationExports: Operation[] = [
  ...standard(organizationExport, { list: true, get: true }, "manage_organization"),
  exportOrganization,
  downloadOrganizationExport,
];
