import type { Action } from '@apprentice/contracts/devices/action.ts'
import type { Execution, StepResult } from '@apprentice/contracts/devices/execution.ts'
import { MASK } from '../../knowledge/redaction/masking.ts'
import { replaceLiteral, type ReplacedLiteral } from '../../knowledge/redaction/replace-literal.ts'
import type { ExecutionRow } from '../../store/devices/executions.ts'

/** Texts that must not stay in a stored execution. */
export interface ForgottenTexts {
  /** What replaces the text of an action that types, by the id of the action. */
  readonly names: ReadonlyMap<string, string>
  /** What replaces the same texts wherever else they occur. */
  readonly literals: readonly ReplacedLiteral[]
}

/** What an earlier replacement has left. */
const NAME = /^(?:‹text:\d{1,3}›|•••)$/

/** Every text that an execution types, with a mask as its replacement. */
export function listTypedTexts({ actions }: Pick<Execution, 'actions'>): ForgottenTexts {
  const typed = actions.flatMap((action) =>
    action.type === 'enter_text' && !NAME.test(action.params.text) ? [{ id: action.id, text: action.params.text }] : [],
  )
  return {
    names: new Map(typed.map(({ id }) => [id, MASK])),
    literals: typed.map(({ text }) => ({ literal: text, by: MASK })),
  }
}

/** Removes texts from the actions, the step results and the envelope of an execution. */
export function withoutTexts(row: ExecutionRow, texts: ForgottenTexts): ExecutionRow {
  const { names, literals } = texts
  if (names.size === 0 && literals.length === 0) return row
  const { payload, step_results, envelope } = row
  return {
    ...row,
    payload: { ...payload, actions: payload.actions.map((action) => forgetInAction(action, texts)) },
    step_results: step_results.map((result) => forgetInResult(result, literals)),
    ...(envelope && {
      envelope: { ...envelope, stepResults: envelope.stepResults.map((result) => forgetInResult(result, literals)) },
    }),
  }
}

function forgetInAction(action: Action, { names, literals }: ForgottenTexts): Action {
  const name = names.get(action.id)
  const named =
    name === undefined || action.type !== 'enter_text'
      ? action
      : { ...action, params: { ...action.params, text: name } }
  if (!('params' in named) || literals.length === 0) return named
  // A later action may name a text that an earlier one typed, for example in its matcher.
  return { ...named, params: mapTexts(named.params, (text) => replaceTexts(text, literals)) } as Action
}

/** A step may have read a text that an earlier one typed. */
export function forgetInResult(result: StepResult, literals: ForgottenTexts['literals']): StepResult {
  if (literals.length === 0) return result
  return { ...result, data: mapTexts(result.data, (text) => replaceTexts(text, literals)) }
}

function mapTexts<T>(value: T, change: (text: string) => string): T {
  if (typeof value === 'string') return change(value) as T
  if (Array.isArray(value)) return value.map((one: unknown) => mapTexts(one, change)) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, mapTexts(one, change)])) as T
}

/** Trees are XML, in which a text is escaped. */
const replaceTexts = (text: string, literals: ForgottenTexts['literals']): string =>
  literals.reduce(
    (current, { literal, by }) =>
      replaceLiteral(replaceLiteral(current, { literal, by }), { literal: escapeXml(literal), by }),
    text,
  )

const escapeXml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => XML_ENTITIES[character] ?? character)

const XML_ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}
