import type { Operation } from "../../core/operation.ts";
import { lockBehindAll, lockBehindParent } from "../../records/locks.ts";
import { crud, standard } from "../../records/standard.ts";
import { withReplacement } from "../shared/status_removal.ts";
import { lineItem } from "./line_item.ts";
import { createLineItem, deleteLineItem } from "./line_item_verbs.ts";
import { opportunity } from "./opportunity.ts";
import { listOpportunities, withTotals } from "./opportunity_list.ts";
import { opportunityStatus } from "./opportunity_status.ts";
import {
  createOpportunityStatus,
  deleteOpportunityStatus,
  lockOpportunityStatus,
  updateOpportunityStatus,
} from "./opportunity_status_verbs.ts";
import { createOpportunity, deleteOpportunity, updateOpportunity } from "./opportunity_verbs.ts";
import { pipeline } from "./pipeline.ts";
import { createPipeline, deletePipeline, updatePipeline } from "./pipeline_verbs.ts";
import { product } from "./product.ts";
import { createProduct, updateProduct } from "./product_verbs.ts";

const customization = { read: "member", write: "manage_customizations" } as const;

export const opportunities: Operation[] = [
  ...standard(
    opportunity,
    { ...crud, list: listOpportunities, create: createOpportunity, update: updateOpportunity, delete: deleteOpportunity },
    "member",
    { list: withTotals },
  ),
  ...standard(
    lineItem,
    { list: true, create: createLineItem, delete: deleteLineItem, lock: lockBehindParent(lineItem, "opportunity_id") },
    "member",
  ),
  ...standard(
    pipeline,
    { ...crud, create: createPipeline, update: updatePipeline, delete: deletePipeline, lock: lockBehindAll(pipeline) },
    customization,
  ),
  ...standard(
    opportunityStatus,
    {
      ...crud,
      create: createOpportunityStatus,
      update: updateOpportunityStatus,
      delete: deleteOpportunityStatus,
      lock: lockOpportunityStatus,
    },
    customization,
    { delete: withReplacement(opportunityStatus, opportunity) },
  ),
  ...standard(product, { ...crud, create: createProduct, update: updateProduct }, customization),
];
