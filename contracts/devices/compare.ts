import { z } from 'zod'
import { requestBody } from '../base/fields.ts'
import { route } from '../base/route.ts'
import { RECORDING_EVENTS } from './recording.ts'

export const CompareMode = z
  .enum(['auto', 'literal', 'semantic'])
  .describe('auto: semantic for the result of an agent, literal for the result of a script')

const eventType = z.enum(Object.keys(RECORDING_EVENTS) as [keyof typeof RECORDING_EVENTS])
const eventText = z.string().min(1).max(200)

/** Defines which events of a recording are checkpoints, in order. */
export const CompareMap = z
  .strictObject({
    checkpoints: z
      .array(
        z.strictObject({
          checkpointId: z.string().min(1).max(160),
          match: z.strictObject({
            eventType,
            packageName: z.string().max(256).optional(),
            text: z
              .union([eventText, z.array(eventText).min(1).max(10)])
              .optional()
              .describe('Part of a text of the event; of several texts the first that is found counts'),
            resourceId: z.string().max(256).optional(),
            pick: z.enum(['first', 'last']).default('first'),
          }),
        }),
      )
      .min(1)
      .max(100),
    required: z.int().min(1).optional().describe('How many must be found; by default all'),
  })
  .meta({ id: 'CompareMap' })
export type CompareMap = z.infer<typeof CompareMap>

export const Normalization = z
  .enum(['auto', 'structural', 'solax_heuristic'])
  .describe('How checkpoints are found in the baseline without a map')

export const CompareOutcome = z.enum([
  'normalization_insufficient',
  'runtime_poisoned',
  'runtime_unavailable',
  'upstream_failure',
  'literal_match',
  'baseline_drift',
  'semantic_match',
  'baseline_uncovered',
  'baseline_weakly_covered',
  'outcome_matches_path_differs',
  'verification_failed',
  'verification_indeterminate',
])
export type CompareOutcome = z.infer<typeof CompareOutcome>

export const BaselineCheckpoint = z.object({
  id: z.string(),
  expectedStatus: z.literal('ok'),
  sourceEventSeq: z.number(),
  eventType,
  summary: z.string(),
})
export type BaselineCheckpoint = z.infer<typeof BaselineCheckpoint>

/** The first difference between the paths of the run and the baseline. */
export const FirstDivergence = z.object({
  index: z.int().min(0),
  baselineCheckpoint: z.string(),
  actualCheckpoint: z.string(),
  baselineStatus: z.string().nullable().describe('Null if the baseline has no checkpoint at this index'),
  actualStatus: z.string().nullable(),
  baselineSummary: z.string().optional(),
  actualNote: z.string().optional(),
})
export type FirstDivergence = z.infer<typeof FirstDivergence>

export const CompareReport = z
  .object({
    ok: z.boolean().describe('Whether the outcome is a match'),
    compareMode: z.enum(['literal', 'semantic']),
    outcome: CompareOutcome,
    summary: z.string(),
    pathMatches: z.boolean(),
    terminalVerificationStatus: z.enum(['verified', 'failed', 'not_run', 'missing']),
    baseline: z.object({
      appPackage: z.string().nullable(),
      checkpointIds: z.array(z.string()),
      checkpoints: z.array(BaselineCheckpoint),
    }),
    actual: z.object({
      skillId: z.string(),
      sourceKind: z.enum(['script', 'agent']),
      status: z.string(),
      runtimeState: z.string().nullable(),
      checkpointIds: z.array(z.string()),
    }),
    firstDivergence: FirstDivergence.optional(),
    baselineCoverage: z.object({ declared: z.int().min(0), covered: z.int().min(0) }),
    alignment: z
      .array(
        z.object({
          baselineCheckpoint: z.string().nullable(),
          actualCheckpoint: z.string().nullable(),
        }),
      )
      .describe('The longest common subsequence of both paths, with the checkpoints of only one path'),
    normalizationStrategy: z.enum(['compare_map', 'structural', 'solax_heuristic']),
    minimumSemanticCoverage: z.int().min(0),
  })
  .meta({ id: 'CompareReport' })
export type CompareReport = z.infer<typeof CompareReport>

export const MAX_COMPARED_EVENTS = 5000
export const MAX_COMPARED_CHECKPOINTS = 500

export const compareRecording = route({
  method: 'POST',
  url: '/api/recordings/compare',
  tag: 'recordings',
  summary: 'Compare a skill run with a recording; nothing is stored',
  privilege: 'read',
  body: requestBody({
    baseline: z.unknown().describe(`A recording export of at most ${MAX_COMPARED_EVENTS} events`),
    result: z
      .unknown()
      .describe(
        `The result of a run, with the field \`skillResult\` of at most ${MAX_COMPARED_CHECKPOINTS} checkpoints`,
      ),
    mode: CompareMode.default('auto'),
    map: CompareMap.optional(),
    normalization: Normalization.default('auto'),
    minimum_coverage: z.int().min(1).max(100).default(2),
  }),
  body_limit: 32 * 1024 * 1024,
  reply: CompareReport,
  fails: ['RECORDING_COMPARE_FAILED', 'WORK_LIMIT_EXCEEDED', 'OVERLOADED'],
})
