import { z } from 'zod'
import { AdjustUntilParams, ExpectParams, PickDateParams, SetCheckedParams } from './control-params.ts'
import { Coordinate, Direction, SwipeParams } from './gesture-params.ts'
import { ContainerMatcher, isRecord, NodeMatcher } from './matcher.ts'
import { inRange, integerIn, MAX_INPUT_LENGTH } from './param-rules.ts'
import { findPatternProblem } from './pattern.ts'
import { RETRY_PRESETS, Retry } from './retry.ts'

export { Coordinate, Direction } from './gesture-params.ts'
export { RETRY_PRESETS, Retry } from './retry.ts'

/** Whether an action only changes the screen, or may have an effect outside it. */
export const Effect = z.enum(['local_state', 'side_effect'])
export type Effect = z.infer<typeof Effect>

export const Orientation = z.enum(['portrait', 'landscape'])
export type Orientation = z.infer<typeof Orientation>

export const ClickType = z.enum(['click', 'long_click', 'focus'])
export type ClickType = z.infer<typeof ClickType>

const milliseconds = z.number()
const clickType = ClickType.default('click')
const searchFields = {
  container: ContainerMatcher.optional(),
  strict: z.boolean().default(false).describe('More than one match is an error'),
}

const scrollFields = (type: string) => ({
  container: ContainerMatcher.optional(),
  direction: z
    .enum([...Direction.options, 'across'], `${type} params.direction must be one of: down, up, left, right`)
    .default('down')
    .describe('Extension: across searches a list whose entries lie side by side'),
  distanceRatio: inRange(0, 1, `${type} params.distanceRatio must be in [0.0, 1.0]`).default(0.7),
  settleDelayMs: inRange(0, 10_000, `${type} params.settleDelayMs must be in [0, 10000]`).default(250),
  findFirstScrollableChild: z.boolean().default(true),
})

const bothWays = z
  .boolean()
  .optional()
  .describe('Extension: if the end is reached without a match, search in the opposite direction')

const wholeList = z
  .boolean()
  .optional()
  .describe('Extension: search the whole list before choosing; a second match makes the target ambiguous')

const applicationParams = (type: string, retry: Retry) =>
  z.strictObject({
    applicationId: z.string().trim().min(1, `${type} requires params.applicationId`).max(512),
    retry: Retry.default(retry),
  })

const recordingParams = (type: string) =>
  z.strictObject({
    sessionId: z
      .string()
      .refine((id) => id.trim() !== '', {
        error: `${type} params.sessionId must not be blank`,
        abort: true,
      })
      .regex(/^[A-Za-z0-9_-]+$/, `${type} params.sessionId may contain letters, digits, _ and - only`)
      .max(128)
      .optional(),
    retry: Retry.default(RETRY_PRESETS.None),
  })

const ClickParams = z
  .strictObject({
    matcher: NodeMatcher.optional(),
    coordinate: Coordinate.optional(),
    clickType,
    ...searchFields,
    retry: Retry.default(RETRY_PRESETS.UiReadiness),
  })
  .superRefine(({ matcher, coordinate, clickType }, ctx) => {
    if (matcher === undefined && coordinate === undefined) {
      ctx.addIssue('click requires params.matcher or params.coordinate')
    } else if (matcher !== undefined && coordinate !== undefined) {
      ctx.addIssue('click params.matcher and params.coordinate are mutually exclusive')
    } else if (coordinate !== undefined && clickType === 'focus') {
      ctx.addIssue("click params.coordinate does not support clickType='focus'")
    }
  })

const ScrollUntilParams = z
  .strictObject({
    matcher: NodeMatcher.optional(),
    ...scrollFields('scroll_until'),
    clickAfter: z.boolean().default(false),
    absent: z.boolean().optional().describe('The search must not find the target'),
    clickType,
    strict: searchFields.strict,
    bothWays,
    wholeList,
    maxScrolls: integerIn(1, 200, 'scroll_until params.maxScrolls').default(20),
    maxDurationMs: inRange(0, 120_000, 'scroll_until params.maxDurationMs must be in [0, 120000]').default(10_000),
    noPositionChangeThreshold: integerIn(1, 20, 'scroll_until params.noPositionChangeThreshold').default(3),
    retry: Retry.default(RETRY_PRESETS.None),
  })
  .refine(({ clickAfter, matcher }) => !clickAfter || matcher !== undefined, {
    error: 'scroll_until params.clickAfter=true requires params.matcher',
    path: ['matcher'],
  })

const ReadTextParams = z
  .strictObject({
    matcher: NodeMatcher,
    all: z.boolean().default(false),
    ...searchFields,
    validator: z.enum(['temperature', 'version', 'regex']).optional(),
    validatorPattern: z.string().max(512).optional(),
    retry: Retry.default(RETRY_PRESETS.UiReadiness),
  })
  .superRefine(({ validator, validatorPattern }, ctx) => {
    if (validator !== 'regex') return
    const path = ['validatorPattern']
    if (validatorPattern === undefined || validatorPattern.trim() === '') {
      const message = "read_text with validator='regex' requires params.validatorPattern"
      ctx.addIssue({ code: 'custom', path, message })
      return
    }
    const problem = findPatternProblem(validatorPattern)
    if (problem !== undefined) {
      const message = `read_text params.validatorPattern is not a valid regex pattern: it ${problem}`
      ctx.addIssue({ code: 'custom', path, message })
    }
  })

const WaitForNavigationParams = z
  .strictObject({
    timeoutMs: milliseconds
      .gt(0, 'wait_for_navigation requires params.timeoutMs > 0')
      .max(30_000, 'wait_for_navigation params.timeoutMs must not exceed 30000'),
    expectedPackage: z.string().max(512).optional(),
    expectedNode: NodeMatcher.optional(),
    requireTransition: z.boolean().default(false).describe('Being on the screen already does not count'),
    retry: Retry.default(RETRY_PRESETS.None),
  })
  .refine(
    ({ expectedPackage, expectedNode }) => (expectedPackage ?? '').trim() !== '' || expectedNode !== undefined,
    'wait_for_navigation requires at least one of params.expectedPackage or params.expectedNode',
  )

const EnterTextParams = z
  .strictObject({
    matcher: NodeMatcher.optional().describe('Required unless intoFocus is true'),
    intoFocus: z.boolean().default(false).describe('Type into the focused field at its cursor, without touching it'),
    text: z.string().min(1, 'enter_text requires non-empty params.text').max(MAX_INPUT_LENGTH),
    submit: z.boolean().default(false),
    clear: z.boolean().default(false),
    ...searchFields,
    retry: Retry.default(RETRY_PRESETS.UiReadiness),
  })
  .refine(({ matcher, intoFocus }) => intoFocus || matcher !== undefined, {
    error: 'enter_text requires params.matcher',
    path: ['matcher'],
    // Reported even if the text is missing too.
    when: ({ value }) => isRecord(value),
  })
  .refine(({ matcher, container, intoFocus }) => !intoFocus || (matcher === undefined && container === undefined), {
    error: 'enter_text params.intoFocus=true takes no params.matcher or params.container',
    path: ['intoFocus'],
  })

/** The parameters of each action type. Unknown keys are refused. */
export const ACTION_PARAMS = {
  open_app: applicationParams('open_app', RETRY_PRESETS.AppLaunch),
  open_uri: z.strictObject({
    uri: z
      .string()
      .max(2048)
      .refine((uri) => uri.trim() !== '', 'open_uri requires params.uri'),
    retry: Retry.default(RETRY_PRESETS.AppLaunch),
  }),
  close_app: applicationParams('close_app', RETRY_PRESETS.AppClose),
  wait_for_node: z.strictObject({
    matcher: NodeMatcher,
    ...searchFields,
    timeoutMs: inRange(1, 120_000, 'wait_for_node params.timeoutMs must be in [1, 120000]')
      .optional()
      .describe('By default until the execution ends'),
    backUntilShown: z
      .boolean()
      .optional()
      .describe('Extension: press Back up to three times if the app resumed on another screen'),
    retry: Retry.default(RETRY_PRESETS.UiReadiness),
  }),
  wait_for_navigation: WaitForNavigationParams,
  click: ClickParams,
  swipe: SwipeParams,
  scroll: z.strictObject({ ...scrollFields('scroll'), retry: Retry.default(RETRY_PRESETS.None) }),
  scroll_until: ScrollUntilParams,
  scroll_and_click: z.strictObject({
    matcher: NodeMatcher,
    ...scrollFields('scroll_and_click'),
    strict: searchFields.strict,
    bothWays,
    wholeList,
    maxSwipes: z
      .int()
      .overwrite((swipes) => Math.min(50, Math.max(1, swipes)))
      .default(10),
    clickAfter: z.boolean().default(true),
    clickType,
    scrollRetry: Retry.default(RETRY_PRESETS.UiScroll),
    clickRetry: Retry.default(RETRY_PRESETS.UiReadiness),
  }),
  read_text: ReadTextParams,
  read_key_value_pair: z.strictObject({
    labelMatcher: NodeMatcher,
    all: z.boolean().default(false).describe('Accepted without effect'),
    ...searchFields,
    retry: Retry.default(RETRY_PRESETS.UiReadiness),
  }),
  enter_text: EnterTextParams,
  press_key: z.strictObject({
    key: z.enum(['back', 'home', 'recents'], {
      error: ({ input }) =>
        input === undefined || input === ''
          ? 'press_key requires params.key'
          : 'press_key params.key must be one of: back, home, recents',
    }),
    retry: Retry.default(RETRY_PRESETS.None),
  }),
  press_edit_key: z.strictObject({
    key: z
      .enum(['delete', 'enter'])
      .describe('Extension: the key of a keyboard in the focused field. delete deletes from the end of its line.'),
    times: integerIn(1, MAX_INPUT_LENGTH, 'press_edit_key params.times').default(1),
    retry: Retry.default(RETRY_PRESETS.None),
  }),
  set_orientation: z.strictObject({
    orientation: Orientation.describe('Extension: turns the screen, and switches its turning by the sensor off'),
    retry: Retry.default(RETRY_PRESETS.None),
  }),
  snapshot_ui: z.strictObject({ retry: Retry.default(RETRY_PRESETS.UiReadiness) }),
  take_screenshot: z.strictObject({
    path: z
      .string()
      .refine((path) => path.trim() !== '', 'take_screenshot params.path must be a non-empty string')
      .optional(),
    retry: Retry.default(RETRY_PRESETS.None),
  }),
  sleep: z.strictObject({
    durationMs: milliseconds
      .min(0, 'sleep requires params.durationMs >= 0')
      .max(120_000, 'sleep.durationMs must not exceed 120000 ms'),
    retry: Retry.default(RETRY_PRESETS.None),
  }),
  start_recording: recordingParams('start_recording'),
  stop_recording: recordingParams('stop_recording'),
  set_checked: SetCheckedParams,
  adjust_until: AdjustUntilParams,
  pick_date: PickDateParams,
  expect: ExpectParams,
}

export type ActionType = keyof typeof ACTION_PARAMS
export const ACTION_TYPES = Object.keys(ACTION_PARAMS) as readonly ActionType[]

/** The types that act on the phone; the others only read or wait. */
export const ACTING_TYPES: ReadonlySet<ActionType> = new Set([
  'open_app',
  'open_uri',
  'close_app',
  'click',
  'swipe',
  'scroll',
  'scroll_until',
  'scroll_and_click',
  'enter_text',
  'press_key',
  'press_edit_key',
  'set_orientation',
  'set_checked',
  'adjust_until',
  'pick_date',
])

/**
 * The effect of the types whose effect does not depend on their target. For the other types, the declaration of the
 * request or the fallback table decides.
 */
export const DECLARED_EFFECTS: Readonly<Partial<Record<ActionType, Effect>>> = {
  open_app: 'side_effect',
  open_uri: 'side_effect',
  close_app: 'side_effect',
  wait_for_node: 'local_state',
  wait_for_navigation: 'local_state',
  scroll: 'local_state',
  set_orientation: 'local_state',
  read_text: 'local_state',
  read_key_value_pair: 'local_state',
  snapshot_ui: 'local_state',
  take_screenshot: 'local_state',
  sleep: 'local_state',
  start_recording: 'local_state',
  stop_recording: 'local_state',
  expect: 'local_state',
}

const actionSchema = <T extends ActionType>(type: T) =>
  z.strictObject({
    id: z.string().min(1).max(128),
    type: z.literal(type),
    // Absent params are validated as an empty object, so the message names the missing parameter.
    params: z.prefault(ACTION_PARAMS[type], {} as never),
    expects: z
      .strictObject({ effect: Effect })
      .optional()
      .describe('The effect that the caller declares; it does not change after dispatch'),
    when: NodeMatcher.optional().describe('Extension: execute only if this is on the screen'),
    unless: NodeMatcher.optional().describe('Extension: execute only if this is not on the screen'),
    doneIfMissing: z
      .boolean()
      .optional()
      .describe('Extension: if the target is missing but the settled claims that follow hold, continue with them'),
    doneIfReversed: z
      .boolean()
      .optional()
      .describe('Extension: the same if a control says the opposite of the target; the claims then need not be new'),
    repeatable: z
      .boolean()
      .optional()
      .describe('Extension: the touch only opens something. If the screen stays as it was, it is repeated once'),
  })

export const Action = z
  .discriminatedUnion(
    'type',
    [
      actionSchema('open_app'),
      actionSchema('open_uri'),
      actionSchema('close_app'),
      actionSchema('wait_for_node'),
      actionSchema('wait_for_navigation'),
      actionSchema('click'),
      actionSchema('swipe'),
      actionSchema('scroll'),
      actionSchema('scroll_until'),
      actionSchema('scroll_and_click'),
      actionSchema('read_text'),
      actionSchema('read_key_value_pair'),
      actionSchema('enter_text'),
      actionSchema('press_key'),
      actionSchema('snapshot_ui'),
      actionSchema('take_screenshot'),
      actionSchema('sleep'),
      actionSchema('start_recording'),
      actionSchema('stop_recording'),
      actionSchema('press_edit_key'),
      actionSchema('set_orientation'),
      actionSchema('set_checked'),
      actionSchema('adjust_until'),
      actionSchema('pick_date'),
      actionSchema('expect'),
    ],
    'All action types must be supported',
  )
  .meta({ id: 'DeviceAction' })
export type Action = z.output<typeof Action>

/** Whether the action presses Enter in a text field, which may send the text. */
export const submitsText = (action: Action): boolean =>
  (action.type === 'enter_text' && action.params.submit) ||
  (action.type === 'press_edit_key' && action.params.key === 'enter')

export function isActionType(type: unknown): type is ActionType {
  return typeof type === 'string' && Object.hasOwn(ACTION_PARAMS, type)
}
