// Validates a provider in the settings, including its models.
import * as z from "zod";
import { PROVIDER_TYPES } from "./providerPresets.ts";

export type ProviderSetting = z.infer<typeof ProviderSettingSchema>;
export type ModelSetting = z.infer<typeof ModelSchema>;

const tokens = z.int().positive();
const dollars = z.number().nonnegative();

/** A name, or a model's properties, which override the provider's list and our table. */
const ModelSchema = z.strictObject({
	id: z.string().min(1),
	window: tokens.optional(),
	maxOutput: tokens.optional(),
	price: z.strictObject({ input: dollars, output: dollars, cached: dollars.optional(), written: dollars.optional() }).optional(),
	images: z.boolean().optional(),
	tools: z.boolean().optional(),
	effort: z.enum(["none", "low", "medium", "high"]).optional(),
});

export const ProviderSettingSchema = z.object({
	type: z.enum(PROVIDER_TYPES),
	baseUrl: z.url({ protocol: /^https?$/ }).optional(),
	api: z.enum(["responses", "chat"]).optional(),
	apiKeyEnv: z.string().optional(),
	headers: z.record(z.string(), z.string()).optional(),
	models: z.array(z.union([z.string().min(1), ModelSchema])).optional(),
});
