import { z } from 'zod'
import { AbilityId, Uuid } from '@apprentice/contracts/base/fields.ts'
import { AbilityKind } from '@apprentice/contracts/abilities/ability.ts'
import { getAvailability } from '@apprentice/contracts/abilities/availability.ts'
import { lookupAbilities } from '@apprentice/contracts/abilities/lookup.ts'
import { RunInputs } from '@apprentice/contracts/abilities/run-parts.ts'
import { getAbilityRun } from '@apprentice/contracts/abilities/runs.ts'
import { Serial } from '@apprentice/contracts/devices/device.ts'
import { verifyCheckpoint } from '@apprentice/contracts/learn/receipts.ts'
import { RecipeInput } from '@apprentice/contracts/recipes/recipe.ts'
import { ACTS_ON_PHONE, defineTool, READ_ONLY, type Tool, WRITES_RECORDS } from '../tool/tool.ts'
import { runToEnd, RunResult, summarizeRun } from './run-to-end.ts'

const MATCHES_PER_PAGE = 10
const MAX_FROM = 90

const findAbilities = defineTool({
  name: 'find_abilities',
  title: 'Find abilities',
  description:
    'Finds taught abilities and skills by what they do. Use it before working on a phone by hand. A match with a skill_id is run with run_skill; one of the kind guidance is a document to follow.',
  input: z.object({
    query: z.string().min(1).max(500).describe('What should be done, in plain words'),
    from: z.int().min(0).max(MAX_FROM).default(0).describe('next_from of the last reply, for further matches'),
  }),
  output: z.object({
    matches: z.array(
      z.object({
        ability_id: AbilityId,
        title: z.string(),
        score: z.number(),
        kind: AbilityKind,
        skill_id: z.string().optional(),
        usable_now: z.boolean(),
        reason_unusable: z.string().optional(),
        inputs: z.array(z.string()),
      }),
    ),
    next_from: z.int().optional().describe('There may be further matches from here'),
  }),
  annotations: READ_ONLY,
  run: async ({ query, from }, { call }) => {
    const { matches } = await call(lookupAbilities, {
      body: { user_query: query, require_text_match: true, include_inputs: true, offset: from, schema_version: 1 },
    })
    const isCut = matches.length === MATCHES_PER_PAGE && from + MATCHES_PER_PAGE <= MAX_FROM
    return {
      structured: {
        matches: matches.map(
          ({ ability_id, title, kind, skill_id, score, usable_now, reason_unusable, inputs = [] }) => ({
            ability_id,
            title,
            kind,
            ...(skill_id === undefined ? {} : { skill_id }),
            score,
            usable_now,
            ...(reason_unusable === undefined ? {} : { reason_unusable }),
            inputs: inputs.map(({ name }) => name),
          }),
        ),
        ...(isCut ? { next_from: from + MATCHES_PER_PAGE } : {}),
      },
    }
  },
})

const describeAbility = defineTool({
  name: 'describe_ability',
  title: 'Describe an ability',
  description: 'Returns the inputs of an ability, when to use it, and whether it can run now.',
  input: z.object({ ability_id: AbilityId }),
  output: z.object({
    ability_id: AbilityId,
    title: z.string(),
    kind: AbilityKind,
    version: z.int(),
    usable_now: z.boolean(),
    reason_unusable: z.string().optional(),
    proven: z.boolean().describe('False: nothing on the screen shows the outcome, so runs end indeterminate'),
    use_when: z.array(z.string()),
    do_not_use_when: z.array(z.string()),
    inputs: z.array(RecipeInput),
  }),
  annotations: READ_ONLY,
  run: async ({ ability_id }, { call }) => {
    const found = await call(getAvailability, { params: { abilityId: ability_id } })
    const { title, kind, current_version, usable_now, reason_unusable, trigger_phrases, negative_triggers, inputs } =
      found
    return {
      structured: {
        ability_id,
        title,
        kind,
        version: current_version,
        usable_now,
        ...(reason_unusable === undefined ? {} : { reason_unusable }),
        proven: found.proven !== false,
        use_when: trigger_phrases,
        do_not_use_when: negative_triggers,
        inputs,
      },
    }
  },
})

const runAbility = defineTool({
  name: 'run_ability',
  title: 'Run an ability',
  description:
    'Runs an ability on a phone and waits for its end. The outcome is read from the phone: success means that it was seen there.',
  input: z.object({
    ability_id: AbilityId,
    inputs: RunInputs.default({}).describe('By the names that describe_ability returns'),
    serial: Serial.optional().describe('Required if several phones are connected'),
    timeout_ms: z.int().min(1000).max(900_000).optional(),
  }),
  output: RunResult,
  annotations: ACTS_ON_PHONE,
  run: async (args, context) => ({ structured: await runToEnd(args, context) }),
})

const getRun = defineTool({
  name: 'get_run',
  title: 'Get a run',
  description: 'Returns the state and outcome of a run. With output and from it continues a list that was cut.',
  input: z.object({
    run_id: Uuid,
    output: z.string().max(64).optional().describe('Only this output'),
    from: z.int().min(0).default(0).describe('Skip this many entries of lists'),
  }),
  output: RunResult,
  annotations: READ_ONLY,
  run: async ({ run_id, output, from }, { call }) => {
    const { run } = await call(getAbilityRun, { params: { runId: run_id } })
    return { structured: summarizeRun(run, { output, from }) }
  },
})

const reportCheckpoint = defineTool({
  name: 'verify_checkpoint',
  title: 'Report a checkpoint',
  description: 'Records that a checkpoint of a workflow done by hand was reached, failed or skipped.',
  input: z.object({
    checkpoint_id: z.string().min(1).max(80),
    status: z.enum(['reached', 'failed', 'skipped']),
    evidence: z.string().max(1000).optional().describe('What the screen showed; required unless skipped'),
    reason: z.string().max(500).optional().describe('Required unless reached'),
    learn_session_id: Uuid.optional(),
    dispatch_id: z.string().max(200).optional(),
    ability_id: AbilityId.optional(),
  }),
  output: z.object({ receipt_id: z.string(), status: z.string() }),
  annotations: WRITES_RECORDS,
  run: async (args, { call }) => {
    const { receipt } = await call(verifyCheckpoint, { body: args })
    return { structured: { receipt_id: receipt.checkpoint_receipt_id, status: receipt.status } }
  },
})

export const abilityTools: readonly Tool[] = [findAbilities, describeAbility, runAbility, getRun, reportCheckpoint]
