import { z } from 'zod'
import { ContainerMatcher, FallbackMatcher, NodeMatcher } from './matcher.ts'
import { inRange, integerIn, MAX_INPUT_LENGTH, patternText } from './param-rules.ts'
import { RETRY_PRESETS, Retry } from './retry.ts'

const container = ContainerMatcher.optional()
const strictByDefault = z.boolean().default(true).describe('More than one match is an error')
const tolerance = z.number().min(0).default(0).describe('The largest difference that counts as equal')

/** Extension: sets a switch or check box to a state, whatever its current state. */
export const SetCheckedParams = z.strictObject({
  matcher: NodeMatcher.describe('The control, or a node in its row'),
  container,
  strict: strictByDefault,
  checked: z.boolean(),
  retry: Retry.default(RETRY_PRESETS.UiReadiness),
})

/** Extension: moves a stepper or slider until it shows the target number. */
export const AdjustUntilParams = z
  .strictObject({
    value: NodeMatcher.describe('The node that shows the number'),
    target: z.number().optional().describe('Required unless targetText is given'),
    targetText: z
      .string()
      .min(1)
      .max(512)
      .optional()
      .describe('Extension: the words to reach, such as a month; the button is pressed until the node shows them'),
    wraps: z.boolean().optional().describe('Extension: after its last value the control shows its first'),
    tolerance,
    increase: NodeMatcher.optional(),
    decrease: NodeMatcher.optional(),
    slider: NodeMatcher.optional(),
    container,
    strict: strictByDefault,
    maxAdjustments: integerIn(1, 200, 'adjust_until params.maxAdjustments').default(60),
    retry: Retry.default(RETRY_PRESETS.UiReadiness),
  })
  .refine(
    ({ increase, decrease, slider }) => [increase, decrease, slider].some((control) => control),
    'adjust_until requires at least one of params.increase, params.decrease or params.slider',
  )
  .refine(({ target, targetText }) => (target === undefined) !== (targetText === undefined), {
    error: 'adjust_until requires either params.target or params.targetText',
    path: ['target'],
  })
  .refine(({ targetText, increase, decrease }) => targetText === undefined || (increase ?? decrease) !== undefined, {
    error: 'adjust_until params.targetText requires params.increase or params.decrease',
    path: ['targetText'],
  })

/** Extension: chooses a date in the calendar on the screen, whatever month it shows. */
export const PickDateParams = z.strictObject({
  date: z
    .string()
    .min(1)
    .max(120)
    .describe('Such as 2026-03-14, 14 March 2026 or 14 March; a day alone is in the month that is shown'),
  maxTurns: integerIn(1, 400, 'pick_date params.maxTurns').default(120).describe('How many months it may turn'),
  retry: Retry.default(RETRY_PRESETS.UiReadiness),
})

const ExpectedText = z
  .strictObject({
    equals: z.string().max(MAX_INPUT_LENGTH).optional(),
    contains: z.string().min(1).max(MAX_INPUT_LENGTH).optional().describe('Case-insensitive'),
    matches: patternText(512, 'expect params.text.matches').optional().describe('A pattern for the whole text'),
  })
  .refine(
    (text) => Object.values(text).some((check) => check !== undefined),
    'expect params.text requires equals, contains or matches',
  )

const laterStep = z.string().min(1).max(128).optional()

/** Extension: verifies a state. It holds only if several successive good readings agree. */
export const ExpectParams = z
  .strictObject({
    matcher: NodeMatcher,
    container,
    strict: z.boolean().default(false).describe('More than one match counts as a failed check'),
    present: z.boolean().default(true),
    text: ExpectedText.optional(),
    number: z.strictObject({ equals: z.number(), tolerance }).optional(),
    checked: z.boolean().optional(),
    selected: z.boolean().optional(),
    enabled: z.boolean().optional(),
    timeoutMs: inRange(0, 120_000, 'expect params.timeoutMs must be in [0, 120000]').default(5000),
    stableReads: integerIn(1, 10, 'expect params.stableReads').default(2),
    settled: z
      .boolean()
      .optional()
      .describe('Must also hold after a pause, with nothing beside it that reports a failure or a wait'),
    transient: z
      .boolean()
      .optional()
      .describe('Of a settled check: it need not hold again after the pause, but nothing may contradict it then'),
    added: z
      .boolean()
      .optional()
      .describe('There must be more matches than on every screen that was there before a touch of this execution'),
    changed: z
      .boolean()
      .optional()
      .describe('The text must differ from that on the last screen before a touch of this execution that has the node'),
    changedBy: z.number().optional().describe('The same, and the shown number or time of day must differ by this'),
    otherLanguage: z
      .strictObject({ matcher: FallbackMatcher, change: z.enum(['shown', 'added', 'changed']).optional() })
      .optional()
      .describe('Extension: checked instead if the app speaks another language; with a change, without the text'),
    settleMs: inRange(0, 10_000, 'expect params.settleMs must be in [0, 10000]')
      .optional()
      .describe(
        'The pause of a settled check; successive settled checks share one. Default 2400, and 4000 since the last touch',
      ),
    tolerated: z
      .array(z.string().min(1).max(512))
      .max(50)
      .optional()
      .describe('Texts that do not contradict a settled check; digits are ignored'),
    skipTo: laterStep.describe('Makes the check optional: if it holds, continue with this later step'),
    elseSkipTo: laterStep.describe('Makes the check optional: if it does not hold, continue with this later step'),
  })
  .refine(
    ({ present, text, number, checked, selected, enabled }) =>
      present || [text, number, checked, selected, enabled].every((check) => check === undefined),
    { error: 'expect params.present=false takes no other expectation', path: ['present'] },
  )
