import type { IncomingActionEvent } from '@apprentice/contracts/learn/observation.ts'
import type { DescribedStep } from '../../devices/recording/step-description.ts'
import type { ObservedAction } from '../../knowledge/steps/observed-step.ts'
import type { StoredSession } from '../../store/sessions/learn-sessions.ts'

/** A step as an event of a learning session. */
export function toIncomingEvent(
  step: DescribedStep,
  session: StoredSession,
  { event_id, rename }: { event_id: string; rename: (text: string) => string },
): IncomingActionEvent {
  const { app, window_title, target, text } = step
  const family = app.slice(0, 80)
  return {
    event_id,
    learn_session_id: session.learn_session_id,
    adapter_kind: 'wrapper_receipt',
    ...(family === '' ? {} : { app_family: family, bundle_id: app.slice(0, 160) }),
    ...(window_title === undefined ? {} : { window_title: window_title.slice(0, 200) }),
    action_label: toPlainLabel(step.action_label, rename).slice(0, 240),
    control_surface: 'raw_ui',
    ...(target === undefined ? {} : { target_ref: formatTargetRef(target) }),
    before_state_ref: step.before_ref,
    after_state_ref: step.after_ref,
    caused_state_change: step.caused_state_change,
    redaction_mode: session.text_capture_consent ? 'none' : 'mask_text',
    created_at: step.created_at,
    ...(text === undefined ? {} : { raw_text: text.slice(0, 2000) }),
    schema_version: 1,
  }
}

/** What is stored of a step besides its event. */
export function toObservedAction(
  step: DescribedStep,
  session: StoredSession,
  rename: (text: string) => string,
): ObservedAction {
  const { kind, app, node_path, secret, submit, key, direction, point, travel, activity, effect } = step
  const action = { kind, app, node_path, secret, submit, key, direction, point, travel, activity, effect }
  return { ...action, text: toStoredText(step, session, rename) }
}

/** Without consent only the token of a text is stored. A text without a token is not stored. */
function toStoredText(
  { text }: DescribedStep,
  session: StoredSession,
  rename: (text: string) => string,
): string | undefined {
  if (text === undefined || session.text_capture_consent) return text
  const token = rename(text)
  return token === text ? undefined : token
}

/** The resource id of the target, otherwise its path in the tree. */
function formatTargetRef({ node }: NonNullable<DescribedStep['target']>): string {
  return `node:${node.resource_id || node.path}`.slice(0, 240)
}

/**
 * Removes the quotation marks around texts of the app, because quoted texts are masked as typed ones.
 * A text of the app that equals a typed text is replaced by its token.
 */
const toPlainLabel = (label: string, rename: (text: string) => string): string =>
  label.replaceAll(/"([^"]*)"/g, (_quoted, text: string) => rename(text))
