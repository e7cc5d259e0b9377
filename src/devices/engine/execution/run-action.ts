import type { Action, ActionType } from '@apprentice/contracts/devices/action.ts'
import { adjustUntil } from '../actions/adjust/adjust-until.ts'
import { closeApp, openApp, openUri } from '../actions/app-actions.ts'
import { pickDate } from '../actions/calendar/pick-date.ts'
import { click } from '../actions/click-action.ts'
import type { EngineExecution } from '../engine-execution.ts'
import { enterText, pressEditKey } from '../actions/enter-text.ts'
import { expectOnScreen } from '../actions/expect-action.ts'
import { pressKey, setOrientation, sleepFor, startRecording, stopRecording } from '../actions/basic-actions.ts'
import { readKeyValuePair, readText } from '../actions/read-actions.ts'
import { scroll, scrollAndClick, scrollUntil } from '../actions/search/scroll-actions.ts'
import { snapshotUi, takeScreenshot } from '../actions/screen-actions.ts'
import { setChecked } from '../actions/set-checked.ts'
import type { StepNotes } from '../step-evidence.ts'
import type { StepData } from '../step-failure.ts'
import { swipe } from '../actions/swipe-action.ts'
import { type NavigationState, waitForNavigation } from '../actions/wait-for-navigation.ts'
import { waitForNode } from '../actions/wait-for-node.ts'

export interface ActionContext {
  readonly notes: StepNotes
  readonly previous: ActionType | undefined
  /** The later actions, in order. */
  readonly following: readonly Action[]
  /** The navigation state before the previous action, if this action waits for navigation. */
  readonly before: NavigationState | undefined
}

/** Runs one action and returns its result data. */
export function runAction(execution: EngineExecution, action: Action, context: ActionContext): Promise<StepData> {
  const { notes } = context
  switch (action.type) {
    case 'open_app':
      return openApp(execution, action.params)
    case 'open_uri':
      return openUri(execution, action.params)
    case 'close_app':
      return closeApp(execution, action.params)
    case 'wait_for_node':
      return waitForNode(execution, action.params, notes)
    case 'wait_for_navigation':
      return waitForNavigation(execution, action.params, context)
    case 'click':
      return click(execution, action.params, notes)
    case 'scroll':
      return scroll(execution, action.params, notes)
    case 'scroll_until':
      return scrollUntil(execution, action.params, notes)
    case 'scroll_and_click':
      return scrollAndClick(execution, action.params, notes)
    case 'read_text':
      return readText(execution, action.params, notes)
    case 'read_key_value_pair':
      return readKeyValuePair(execution, action.params, notes)
    case 'enter_text':
      return enterText(execution, action.params, notes)
    case 'press_key':
      return pressKey(execution, action.params)
    case 'snapshot_ui':
      return snapshotUi(execution, action.params, context)
    case 'take_screenshot':
      return takeScreenshot(execution, action.params)
    case 'sleep':
      return sleepFor(execution, action.params)
    case 'start_recording':
      return startRecording(execution, action.params)
    case 'stop_recording':
      return stopRecording(execution, action.params)
    case 'swipe':
    case 'press_edit_key':
    case 'set_orientation':
    case 'set_checked':
    case 'adjust_until':
    case 'pick_date':
    case 'expect':
      return runExtensionAction(execution, action, context)
  }
}

/** Runs the action types that are extensions of the common format. */
function runExtensionAction(
  execution: EngineExecution,
  action: Extract<
    Action,
    { type: 'swipe' | 'press_edit_key' | 'set_orientation' | 'set_checked' | 'adjust_until' | 'pick_date' | 'expect' }
  >,
  context: ActionContext,
): Promise<StepData> {
  const { notes } = context
  switch (action.type) {
    case 'swipe':
      return swipe(execution, action.params, notes)
    case 'press_edit_key':
      return pressEditKey(execution, action.params, notes)
    case 'set_orientation':
      return setOrientation(execution, action.params)
    case 'set_checked':
      return setChecked(execution, action.params, notes)
    case 'adjust_until':
      return adjustUntil(execution, action.params, notes)
    case 'pick_date':
      return pickDate(execution, action.params, notes)
    case 'expect':
      return expectOnScreen(execution, action.params, context)
  }
}
