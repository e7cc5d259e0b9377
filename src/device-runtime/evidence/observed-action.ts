import type { IncomingActionEvent } from '@apprentice/contracts/learn/observation.ts'
import type { ObservedStep } from '../../devices/recording/observed-step.ts'
import type { StoredSession } from '../../store/sessions/learn-sessions.ts'
import type { ObservedStepBody } from '../../knowledge/interpret/read/evidence.ts'

/** A step on a device as a learning session takes it in. */
export function toIncoming(
  step: ObservedStep,
  session: StoredSession,
  { event_id, rename }: { event_id: string; rename: (text: string) => string },
): IncomingActionEvent {
  const family = step.app_family.slice(0, 80)
  return {
    event_id,
    learn_session_id: session.learn_session_id,
    adapter_kind: 'wrapper_receipt',
    ...(family === '' ? {} : { app_family: family, bundle_id: step.app_family.slice(0, 160) }),
    ...(step.window_title === undefined ? {} : { window_title: step.window_title.slice(0, 200) }),
    action_label: plainLabel(step.action_label, rename).slice(0, 240),
    control_surface: 'raw_ui',
    ...(step.target === undefined ? {} : { target_ref: describeTarget(step.target) }),
    before_state_ref: step.before_ref,
    after_state_ref: step.after_ref,
    caused_state_change: step.caused_state_change,
    redaction_mode: session.text_capture_consent ? 'none' : 'mask_text',
    created_at: new Date(step.at_ms).toISOString(),
    ...(step.typed_text === undefined ? {} : { raw_text: step.typed_text.slice(0, 2000) }),
    schema_version: 1,
  }
}

/** The same step in terms of the screen, for those who learn from it. */
export function toObservedStep(
  step: ObservedStep,
  session: StoredSession,
  rename: (text: string) => string,
): ObservedStepBody {
  const { action, app_family, target, effect, activity } = step
  return {
    kind: action.kind,
    app: app_family,
    node_path: target?.node.path,
    effect,
    activity,
    ...(action.kind === 'key' ? { key: action.key } : {}),
    ...(action.kind === 'scroll' ? { direction: action.direction } : {}),
    ...('point' in action ? { point: action.point } : {}),
    ...(action.kind === 'text'
      ? { submit: action.submit, ...typedText(step, session, rename) }
      : {}),
  }
}

/** Without consent only the name of a text is kept; a text that got no name leaves nothing. */
function typedText(
  { typed_text, secret }: ObservedStep,
  session: StoredSession,
  rename: (text: string) => string,
): Pick<ObservedStepBody, 'text' | 'secret'> {
  if (secret) return { secret }
  if (typed_text === undefined || session.text_capture_consent) return { text: typed_text }
  const name = rename(typed_text)
  return name === typed_text ? {} : { text: name }
}

/** Short and stable: what the target is called by the app, else where it stands in the tree. */
function describeTarget({ node }: NonNullable<ObservedStep['target']>): string {
  return `node:${node.resource_id || node.path}`.slice(0, 240)
}

/**
 * What the app shows is no secret of the person's: it stands unquoted, or it would be masked as if it were typed.
 * Where it happens to be what was typed, it goes by that text's name.
 */
const plainLabel = (label: string, rename: (text: string) => string): string =>
  label.replaceAll(/"([^"]*)"/g, (_quoted, shown: string) => rename(shown))
