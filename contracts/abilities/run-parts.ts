import { z } from 'zod'
import { AbilityId, Uuid } from '../base/fields.ts'
import { MAX_INPUT_LENGTH } from '../devices/param-rules.ts'
import { ExecutionState } from '../devices/executions.ts'

/** The longest time a run may take, its time in the queue included. */
export const MAX_RUN_MS = 900_000
/** The time limit per execution of a run that names none. */
export const DEFAULT_EXECUTION_MS = 90_000
/** The largest number of items of one run. */
export const MAX_ITEMS = 200

export const RunInputs = z.record(
  z.string().max(64),
  z.union([z.string().max(MAX_INPUT_LENGTH), z.number(), z.boolean()]),
)
export type RunInputs = z.infer<typeof RunInputs>

/** What a run over a list does after an item that did not succeed. */
export const OnItemFailure = z.enum(['stop', 'continue'])
export type OnItemFailure = z.infer<typeof OnItemFailure>

/** The result of one verification on the device. */
export const RunVerification = z.object({
  verification_id: z.string(),
  held: z.boolean().optional().describe('Absent if it could not be evaluated'),
  observed: z.string().max(512).optional(),
})
export type RunVerification = z.infer<typeof RunVerification>

/** Why a run did not succeed. */
export const RunFailure = z.object({
  code: z.string().max(80),
  message: z.string().max(500),
  step_id: z.string().optional().describe('`<call>/<step>` for a step of a called ability'),
  checkpoint_id: z.string().optional().describe('The checkpoint that was not reached'),
  candidates: z.string().max(8000).optional().describe('JSON of the candidates if several nodes matched'),
  in_the_way: z.string().max(512).optional().describe('An unexpected dialog on the screen'),
  observed: z.string().max(512).optional(),
  item: z.int().min(0).optional().describe('The item that did not succeed, from 0; only of a run over a list'),
})
export type RunFailure = z.infer<typeof RunFailure>

/** A step on a screen that differs from the recipe. */
export const RunDrift = z.object({
  step_id: z.string(),
  expected_count: z.int().min(0).optional(),
  observed_count: z.int().min(0).optional(),
  used_fallback: z.int().min(1).optional().describe('The number of the fallback selector that was used'),
  agreed_anchor: z
    .int()
    .min(0)
    .optional()
    .describe(
      'The step failed, but its other anchors found one node: the first of them, or 0 for the selector without its container',
    ),
})
export type RunDrift = z.infer<typeof RunDrift>

/** Whether the app version is in the range that the recipe supports. */
export const RunCompat = z.enum(['in_range', 'out_of_range', 'unknown'])
export type RunCompat = z.infer<typeof RunCompat>

/** What is known about the outcome of a run, or of one item of a run over a list. */
export const outcomeFields = {
  acted: z.boolean().describe('False if the phone was already in the requested state'),
  verification: z.array(RunVerification),
  checkpoints_reached: z.array(z.string()),
  trouble: RunFailure.optional(),
  used_fallbacks: z.array(z.string()).describe('Steps that used a fallback selector'),
  dismissed: z.array(z.string()).describe('Dialogs that were dismissed'),
  drift: z.array(RunDrift),
  outputs: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]))
    .describe('The outputs, redacted as the recipe specifies'),
}

/** not_started: an earlier item ended the run, or the item waits for its turn. */
export const RunItemState = z.enum(['not_started', 'running', 'success', 'failed', 'indeterminate', 'cancelled'])
export type RunItemState = z.infer<typeof RunItemState>

/** One item of a run over a list. */
export const RunItem = z
  .object({ item: z.int().min(0), state: RunItemState, ...outcomeFields })
  .meta({ id: 'AbilityRunItem' })
export type RunItem = z.infer<typeof RunItem>

/** One execution of a run. Executions of a run are queued one after the other. */
export const RunPart = z
  .object({
    position: z.int().min(0),
    item: z.int().min(0).optional(),
    call: z.string().optional().describe('The step that called the ability; `<step>/<step>` for a call in a call'),
    ability_id: AbilityId,
    version: z.int().min(1),
    content_hash: z.string().describe('SHA-256 of the recipe that was compiled'),
    actions: z.int().min(1),
    execution_id: Uuid.optional().describe('Absent until the execution is queued'),
    state: ExecutionState.optional(),
  })
  .meta({ id: 'AbilityRunPart' })
export type RunPart = z.infer<typeof RunPart>
