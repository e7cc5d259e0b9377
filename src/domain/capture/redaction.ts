import { createHmac } from 'node:crypto'
import type {
  AdapterKind,
  IncomingActionEvent,
  ObservedActionEvent,
  RedactionMode,
} from '@apprentice/contracts/learn/observation.ts'
import { adapterFacts } from './adapters.ts'
import { clip, mask, maskText } from '../../knowledge/redaction/masking.ts'
import {
  findName,
  type KnownTexts,
  nameQuotations,
  nameText,
  replaceLiteral,
} from './typed-texts.ts'

export interface RedactionRules {
  readonly mode: RedactionMode
  readonly salt: string
  /** Present for events of a device: typed text is then named, so that it can be recognised, not just masked. */
  readonly known?: KnownTexts | undefined
}

/** Kinds that carry what a person typed; consent lets their text through. */
const textKinds: readonly AdapterKind[] = ['text_entry', 'wrapper_receipt']
const strictness = { none: 0, mask_text: 1, hash_only: 2 } as const

/** The weakest redaction that events of this kind may have in a session. */
export function weakestMode(kind: AdapterKind, consent: boolean): RedactionMode {
  return consent && textKinds.includes(kind) ? 'none' : adapterFacts[kind].redaction
}

export const stricterMode = (a: RedactionMode, b: RedactionMode): RedactionMode =>
  strictness[a] >= strictness[b] ? a : b

/** The event as it may be stored. `raw_text` never comes out, in no mode. */
export function redactEvent(
  { raw_text, ...sent }: IncomingActionEvent,
  rules: RedactionRules,
): ObservedActionEvent {
  const event: ObservedActionEvent = {
    ...sent,
    created_at: new Date(sent.created_at).toISOString(),
    redaction_mode: rules.mode,
  }
  if (event.adapter_kind === 'clipboard') return classOnly(event)
  switch (rules.mode) {
    case 'none':
      return event
    case 'hash_only':
      return hashed(event, rules.salt)
    case 'mask_text':
      return masked(event, { known: rules.known, typed: raw_text })
  }
}

/** That the clipboard was used, and nothing about it. */
function classOnly(event: ObservedActionEvent): ObservedActionEvent {
  return { ...bare(event), action_label: 'clipboard event' }
}

function hashed(event: ObservedActionEvent, salt: string): ObservedActionEvent {
  const short = (text: string) =>
    `sha256:${createHmac('sha256', salt).update(text).digest('hex').slice(0, 16)}`
  const { target_ref } = event
  return {
    ...bare(event),
    action_label: short(event.action_label),
    ...(target_ref === undefined ? {} : { target_ref: short(target_ref) }),
  }
}

/** Which adapter, which app, when. */
function bare(event: ObservedActionEvent): ObservedActionEvent {
  const {
    window_title: _window,
    target_ref: _target,
    before_state_ref: _before,
    after_state_ref: _after,
    ...rest
  } = event
  return rest
}

const textLimits = {
  action_label: 240,
  window_title: 200,
  target_ref: 240,
  before_state_ref: 240,
  after_state_ref: 240,
} as const

function masked(
  event: ObservedActionEvent,
  { known, typed }: { known: KnownTexts | undefined; typed: string | undefined },
): ObservedActionEvent {
  const by = typed === undefined || known === undefined ? mask : nameText(known, typed)
  const safe = (text: string): string => {
    const name = known === undefined ? undefined : findName(known, text)
    if (name !== undefined) return name
    const untyped = typed === undefined ? text : replaceLiteral(text, { literal: typed, by })
    return maskText(known === undefined ? untyped : nameQuotations(known, untyped))
  }
  const out = { ...event }
  // Object.entries loses the key type; the table has exactly these keys.
  for (const [field, max] of Object.entries(textLimits) as [keyof typeof textLimits, number][]) {
    const value = event[field]
    const isText = value !== undefined && !(field.endsWith('_ref') && isReference(value))
    if (isText) out[field] = clip(safe(value), max)
  }
  return out
}

const reference = /^[a-z][a-z_]{0,30}:(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{64})/

/** A pointer to something of ours, as `snapshot:<id>`, with a harmless rest; it says nothing by itself. */
function isReference(value: string): boolean {
  const [head] = reference.exec(value) ?? []
  if (head === undefined) return false
  const rest = value.slice(head.length)
  return /^(?:[#/][\w.-]*)?$/.test(rest) && maskText(rest) === rest
}
