import { createHmac } from 'node:crypto'
import type {
  AdapterKind,
  IncomingActionEvent,
  ObservedActionEvent,
  RedactionMode,
} from '@apprentice/contracts/learn/observation.ts'
import { ADAPTER_FACTS } from './adapters.ts'
import { truncate, MASK, maskText } from '../../knowledge/redaction/masking.ts'
import { replaceLiteral } from '../../knowledge/redaction/replace-literal.ts'
import { findName, type KnownTexts, nameQuotations, nameText } from './typed-texts.ts'

export interface RedactionRules {
  readonly mode: RedactionMode
  readonly salt: string
  /** Set for events of a device: typed text is replaced by a name that stays recognizable, instead of a mask. */
  readonly known?: KnownTexts | undefined
}

/** Kinds whose text is stored if the user gave consent. */
const TEXT_KINDS: readonly AdapterKind[] = ['text_entry', 'wrapper_receipt']
const STRICTNESS = { none: 0, mask_text: 1, hash_only: 2 } as const

/** The weakest redaction allowed for events of this kind. */
export function getMinimumRedaction(kind: AdapterKind, consent: boolean): RedactionMode {
  return consent && TEXT_KINDS.includes(kind) ? 'none' : ADAPTER_FACTS[kind].redaction
}

export const pickStricterMode = (a: RedactionMode, b: RedactionMode): RedactionMode =>
  STRICTNESS[a] >= STRICTNESS[b] ? a : b

/** The event as it may be stored. `raw_text` is removed in every mode. */
export function redactEvent({ raw_text, ...sent }: IncomingActionEvent, rules: RedactionRules): ObservedActionEvent {
  const event: ObservedActionEvent = {
    ...sent,
    created_at: new Date(sent.created_at).toISOString(),
    redaction_mode: rules.mode,
  }
  if (event.adapter_kind === 'clipboard') return hideClipboard(event)
  switch (rules.mode) {
    case 'none':
      return event
    case 'hash_only':
      return hashEvent(event, rules.salt)
    case 'mask_text':
      return maskEvent(event, { known: rules.known, typed: raw_text })
  }
}

/** Keeps only the fact that the clipboard was used. */
function hideClipboard(event: ObservedActionEvent): ObservedActionEvent {
  return { ...removeTexts(event), action_label: 'clipboard event' }
}

function hashEvent(event: ObservedActionEvent, salt: string): ObservedActionEvent {
  const short = (text: string) => `sha256:${createHmac('sha256', salt).update(text).digest('hex').slice(0, 16)}`
  const { target_ref } = event
  return {
    ...removeTexts(event),
    action_label: short(event.action_label),
    ...(target_ref === undefined ? {} : { target_ref: short(target_ref) }),
  }
}

/** Keeps adapter, app and time. */
function removeTexts(event: ObservedActionEvent): ObservedActionEvent {
  const {
    window_title: _window,
    target_ref: _target,
    before_state_ref: _before,
    after_state_ref: _after,
    ...rest
  } = event
  return rest
}

const TEXT_LIMITS = {
  action_label: 240,
  window_title: 200,
  target_ref: 240,
  before_state_ref: 240,
  after_state_ref: 240,
} as const

function maskEvent(
  event: ObservedActionEvent,
  { known, typed }: { known: KnownTexts | undefined; typed: string | undefined },
): ObservedActionEvent {
  const by = typed === undefined || known === undefined ? MASK : nameText(known, typed)
  const safe = (text: string): string => {
    const name = known === undefined ? undefined : findName(known, text)
    if (name !== undefined) return name
    const untyped = typed === undefined ? text : replaceLiteral(text, { literal: typed, by })
    return maskText(known === undefined ? untyped : nameQuotations(known, untyped))
  }
  const out = { ...event }
  // Object.entries loses the key type; the table has exactly these keys.
  for (const [field, max] of Object.entries(TEXT_LIMITS) as [keyof typeof TEXT_LIMITS, number][]) {
    const value = event[field]
    const isText = value !== undefined && !(field.endsWith('_ref') && isReference(value))
    if (isText) out[field] = truncate(safe(value), max)
  }
  return out
}

const REFERENCE = /^[a-z][a-z_]{0,30}:(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{64})/

/** An internal reference such as `snapshot:<id>`, with a suffix that contains nothing private. */
function isReference(value: string): boolean {
  const [head] = REFERENCE.exec(value) ?? []
  if (head === undefined) return false
  const rest = value.slice(head.length)
  return /^(?:[#/][\w.-]*)?$/.test(rest) && maskText(rest) === rest
}
