import type { ActionType } from './action.ts'

/** Accepted aliases of action types and parameters. */
export const TYPE_ALIASES: ReadonlyMap<string, ActionType> = new Map([
  ['open_url', 'open_uri'],
  ['tap', 'click'],
  ['press', 'click'],
  ['wait_for', 'wait_for_node'],
  ['find', 'wait_for_node'],
  ['find_node', 'wait_for_node'],
  ['read', 'read_text'],
  ['snapshot', 'snapshot_ui'],
  ['screenshot', 'take_screenshot'],
  ['capture_screenshot', 'take_screenshot'],
  ['type_text', 'enter_text'],
  ['text_entry', 'enter_text'],
  ['input_text', 'enter_text'],
  ['key_press', 'press_key'],
])

export const PARAM_ALIASES: ReadonlyMap<string, string> = new Map([
  ['package', 'applicationId'],
  ['package_id', 'applicationId'],
  ['packageId', 'applicationId'],
  ['app', 'applicationId'],
  ['app_id', 'applicationId'],
  ['appId', 'applicationId'],
  ['url', 'uri'],
  ['selector', 'matcher'],
  ['node', 'matcher'],
  ['element', 'matcher'],
  ['within', 'container'],
  ['container_selector', 'container'],
  ['value', 'text'],
  ['file', 'path'],
  ['filePath', 'path'],
  ['output_path', 'path'],
  ['wait_for', 'expectedNode'],
  ['label_selector', 'labelMatcher'],
  ['start', 'from'],
  ['end', 'to'],
])
