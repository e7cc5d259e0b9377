import type { Effect } from '@apprentice/contracts/devices/action.ts'
import type { EffectDecision } from '@apprentice/contracts/devices/verification.ts'

export interface EffectSources {
  /** The concrete verb that was executed. */
  readonly verb: string
  /** The effect in the definition of the action. */
  readonly schema?: Effect | undefined
  /** The effect that the request or the executing code declared before dispatch. */
  readonly handler?: Effect | undefined
  /** Whether the action submits its input: text with submit, a confirming key. */
  readonly submits?: boolean | undefined
}

const EFFECT_TABLE_VERSION = 1

/**
 * The effect of an action, decided before it is executed: from its definition, else from the declaration, else from the
 * table, else `side_effect`. Observations of screen or network have no influence.
 */
export function decideEffect({ verb, schema, handler, submits }: EffectSources): EffectDecision {
  const table_version = EFFECT_TABLE_VERSION
  if (schema !== undefined) return { effect: schema, source: 'schema', table_version }
  if (handler !== undefined) return { effect: handler, source: 'handler', table_version }
  const listed = EFFECT_TABLE.get(toTableKey(verb, submits === true))
  if (listed !== undefined) return { effect: listed, source: 'fallback_table', table_version }
  return { effect: 'side_effect', source: 'default', table_version }
}

function toTableKey(verb: string, submits: boolean): string {
  const name = verb.trim().toLowerCase()
  return submits ? `${name}+submit` : name
}

const LOCAL_STATE_VERBS = [
  'tap',
  'tap_element',
  'double_tap',
  'long_press',
  'click',
  'swipe',
  'drag',
  'scroll',
  'scroll_to_element',
  'scroll_until',
  'scroll_and_click',
  'type_text',
  'enter_text',
  'clear_text',
  'press_back',
  'press_key',
  'press_edit_key',
  'set_orientation',
  'adjust_control',
  'adjust_until',
  'pick_date',
  'set_checked',
  'wake',
]

const SIDE_EFFECT_VERBS = [
  'type_text+submit',
  'enter_text+submit',
  'press_key+submit',
  'press_edit_key+submit',
  'open_url',
  'open_uri',
  'start_app',
  'open_app',
  'stop_app',
  'close_app',
  'restart_app',
  'clear_app_data',
  'install',
  'uninstall',
  'grant_permission',
]

const EFFECT_TABLE: ReadonlyMap<string, Effect> = new Map([
  ...LOCAL_STATE_VERBS.map((verb) => [verb, 'local_state'] as const),
  ...SIDE_EFFECT_VERBS.map((verb) => [verb, 'side_effect'] as const),
])
