import { z } from 'zod'
import { ContainerMatcher, NodeMatcher } from './matcher.ts'
import { compiles, inRange, integerIn } from './param-rules.ts'
import { RETRY_PRESETS, Retry } from './retry.ts'

const container = ContainerMatcher.optional()
const onlyOne = z.boolean().default(true).describe('More than one match is an error')
const tolerance = z.number().min(0).default(0).describe('How far off still counts as equal')

/** Ours: brings a switch or box to a state, whatever state it is in. */
export const SetCheckedParams = z.strictObject({
  matcher: NodeMatcher.describe('The control, or something in its row'),
  container,
  strict: onlyOne,
  checked: z.boolean(),
  retry: Retry.default(RETRY_PRESETS.UiReadiness),
})

/** Ours: moves a stepper or slider until the number it shows is the wanted one. */
export const AdjustUntilParams = z
  .strictObject({
    value: NodeMatcher.describe('What shows the number'),
    target: z.number(),
    tolerance,
    increase: NodeMatcher.optional(),
    decrease: NodeMatcher.optional(),
    slider: NodeMatcher.optional(),
    container,
    strict: onlyOne,
    maxAdjustments: integerIn(1, 200, 'adjust_until params.maxAdjustments').default(60),
    retry: Retry.default(RETRY_PRESETS.UiReadiness),
  })
  .refine(
    ({ increase, decrease, slider }) => [increase, decrease, slider].some((way) => way),
    'adjust_until requires at least one of params.increase, params.decrease or params.slider',
  )

const ExpectedText = z
  .strictObject({
    equals: z.string().max(512).optional(),
    contains: z.string().min(1).max(512).optional().describe('Case-insensitive'),
    matches: z
      .string()
      .min(1)
      .max(512)
      .refine(compiles, 'expect params.text.matches is not a valid regex pattern')
      .optional()
      .describe('A pattern for the whole text'),
  })
  .refine(
    (text) => Object.values(text).some((words) => words !== undefined),
    'expect params.text requires equals, contains or matches',
  )

const laterStep = z.string().min(1).max(128).optional()

/** Ours: the step that verifies. It holds only when several good readings in a row agree. */
export const ExpectParams = z
  .strictObject({
    matcher: NodeMatcher,
    container,
    strict: z.boolean().default(false).describe('More than one match does not hold'),
    present: z.boolean().default(true),
    text: ExpectedText.optional(),
    number: z.strictObject({ equals: z.number(), tolerance }).optional(),
    checked: z.boolean().optional(),
    selected: z.boolean().optional(),
    enabled: z.boolean().optional(),
    timeoutMs: inRange(0, 120_000, 'expect params.timeoutMs must be in [0, 120000]').default(5000),
    stableReads: integerIn(1, 10, 'expect params.stableReads').default(2),
    skipTo: laterStep.describe('It may hold or not: if it does, go on with this later step'),
    elseSkipTo: laterStep.describe(
      'It may hold or not: if it does not, go on with this later step',
    ),
  })
  .refine(
    ({ present, text, number, checked, selected, enabled }) =>
      present || [text, number, checked, selected, enabled].every((wanted) => wanted === undefined),
    { error: 'expect params.present=false takes no other expectation', path: ['present'] },
  )
