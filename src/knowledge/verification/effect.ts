import type { Effect } from '@apprentice/contracts/devices/action.ts'
import type { EffectDecision } from '@apprentice/contracts/devices/verification.ts'

export interface EffectSources {
  /** The concrete verb that was executed. */
  readonly verb: string
  /** What the definition of the action says. */
  readonly schema?: Effect | undefined
  /** What the request or the executing code declared before dispatch. */
  readonly handler?: Effect | undefined
  /** The action hands its input in: text with submit, a key that confirms. */
  readonly submits?: boolean | undefined
}

const EFFECT_TABLE_VERSION = 1

/**
 * What an action is taken to do, decided before anything is observed of it: its definition, else the
 * declaration, else the table, else the cautious word. Nothing seen on screen or network plays a part.
 */
export function decideEffect({ verb, schema, handler, submits }: EffectSources): EffectDecision {
  const table_version = EFFECT_TABLE_VERSION
  if (schema !== undefined) return { effect: schema, source: 'schema', table_version }
  if (handler !== undefined) return { effect: handler, source: 'handler', table_version }
  const listed = EFFECT_TABLE.get(tableKey(verb, submits === true))
  if (listed !== undefined) return { effect: listed, source: 'fallback_table', table_version }
  return { effect: 'side_effect', source: 'default', table_version }
}

function tableKey(verb: string, submits: boolean): string {
  const name = verb.trim().toLowerCase()
  return submits ? `${name}+submit` : name
}

const LOCAL_STATE = [
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
  'set_orientation',
  'adjust_control',
  'adjust_until',
  'set_checked',
  'wake',
]

const SIDE_EFFECT = [
  'type_text+submit',
  'enter_text+submit',
  'press_key+submit',
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
  ...LOCAL_STATE.map((verb) => [verb, 'local_state'] as const),
  ...SIDE_EFFECT.map((verb) => [verb, 'side_effect'] as const),
])
