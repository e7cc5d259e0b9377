import type { Action, ActionType } from '@apprentice/contracts/devices/action.ts'
import { adjustUntil } from './adjust-until.ts'
import { closeApp, openApp, openUri } from './app-actions.ts'
import { click } from './click-action.ts'
import type { EngineRun } from '../engine-run.ts'
import { enterText } from './enter-text.ts'
import { expectOnScreen } from './expect-action.ts'
import { pressKey, sleepFor, startRecording, stopRecording } from './plain-actions.ts'
import { readKeyValuePair, readText } from './read-actions.ts'
import { scroll, scrollAndClick, scrollUntil } from './scroll-actions.ts'
import { snapshotUi, takeScreenshot } from './screen-actions.ts'
import { setChecked } from './set-checked.ts'
import type { StepNotes } from '../step-evidence.ts'
import type { StepData } from '../step-failure.ts'
import { swipe } from './swipe-action.ts'
import { type NavigationMark, waitForNavigation } from './wait-for-navigation.ts'
import { waitForNode } from './wait-for-node.ts'

export interface ActionContext {
  readonly notes: StepNotes
  readonly previous: ActionType | undefined
  /** How the screen this action waits for stood before the action before it. */
  readonly before: NavigationMark | undefined
}

/** Does one action and answers the data of its success. */
export function runAction(
  run: EngineRun,
  action: Action,
  context: ActionContext,
): Promise<StepData> {
  const { notes } = context
  switch (action.type) {
    case 'open_app':
      return openApp(run, action.params)
    case 'open_uri':
      return openUri(run, action.params)
    case 'close_app':
      return closeApp(run, action.params)
    case 'wait_for_node':
      return waitForNode(run, action.params, notes)
    case 'wait_for_navigation':
      return waitForNavigation(run, action.params, context)
    case 'click':
      return click(run, action.params, notes)
    case 'scroll':
      return scroll(run, action.params, notes)
    case 'scroll_until':
      return scrollUntil(run, action.params, notes)
    case 'scroll_and_click':
      return scrollAndClick(run, action.params, notes)
    case 'read_text':
      return readText(run, action.params, notes)
    case 'read_key_value_pair':
      return readKeyValuePair(run, action.params, notes)
    case 'enter_text':
      return enterText(run, action.params, notes)
    case 'press_key':
      return pressKey(run, action.params)
    case 'snapshot_ui':
      return snapshotUi(run, action.params, context)
    case 'take_screenshot':
      return takeScreenshot(run, action.params)
    case 'sleep':
      return sleepFor(run, action.params)
    case 'start_recording':
      return startRecording(run, action.params)
    case 'stop_recording':
      return stopRecording(run, action.params)
    case 'swipe':
    case 'set_checked':
    case 'adjust_until':
    case 'expect':
      return runOurs(run, action, notes)
  }
}

/** The types that others do not know. */
function runOurs(
  run: EngineRun,
  action: Extract<Action, { type: 'swipe' | 'set_checked' | 'adjust_until' | 'expect' }>,
  notes: StepNotes,
): Promise<StepData> {
  switch (action.type) {
    case 'swipe':
      return swipe(run, action.params, notes)
    case 'set_checked':
      return setChecked(run, action.params, notes)
    case 'adjust_until':
      return adjustUntil(run, action.params, notes)
    case 'expect':
      return expectOnScreen(run, action.params, notes)
  }
}
