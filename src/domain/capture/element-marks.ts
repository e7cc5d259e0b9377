import type { ElementMark, ElementReference } from '@apprentice/contracts/learn/elements.ts'
import type { LearnSessionState } from '@apprentice/contracts/learn/session.ts'
import { Failure } from '../../failure/failure.ts'
import { findUsingStep } from '../../knowledge/interpret/prove/pointed-elements.ts'
import { findRowAround } from '../../knowledge/interpret/read/rows.ts'
import type { ObservedStep, ObservedTrace } from '../../knowledge/steps/observed-step.ts'
import { parseDisplayedNumber } from '../../screen/displayed-number.ts'
import type { Hierarchy, UiNode } from '../../screen/tree/hierarchy.ts'
import { collectOnScreenNodes, findWindow } from '../../screen/matcher.ts'
import * as store from '../../store/capture/element-marks.ts'
import { findLastObservation, findObservation, type StoredObservation } from '../../store/capture/observations.ts'
import type { Reader } from '../../store/db/db.ts'
import type { StoredSession } from '../../store/sessions/learn-sessions.ts'
import type { CommandContext } from '../command/context.ts'
import { recordReceipt, recordSessionEvent } from '../command/ledger.ts'
import { assertState } from '../sessions/session-machine.ts'
import { readOwnSession } from '../sessions/session-access.ts'
import { getOwnSession } from '../sessions/session-moves.ts'
import { eventNotFound } from './captured-events.ts'
import { COACHABLE_STATES } from './coaching.ts'
import { describeElement, elementNotFound, locateElement } from './element-lookup.ts'

export interface SentMark {
  readonly kind: ElementMark['kind']
  readonly element: ElementReference
  readonly name?: string | undefined
  readonly value_type?: ElementMark['value_type']
}

/** The states in which the person may point: until the draft is made. `now` needs a running capture. */
const listPointingStates = ({ screen }: ElementReference): readonly LearnSessionState[] =>
  screen === 'now' ? ['capturing'] : COACHABLE_STATES

/** Throws if the person cannot point now. Called before the device is read. */
export function assertCanPoint(reader: Reader, sessionId: string, user: string, element: ElementReference): void {
  assertState(readOwnSession(reader, sessionId, user).state, listPointingStates(element))
}

/** Stores what the person pointed at. `capture` is the session's capture with its screens, read before. */
export function addElementMark(
  ctx: CommandContext,
  sessionId: string,
  { sent, capture }: { readonly sent: SentMark; readonly capture: ObservedTrace },
): ElementMark {
  const session = getOwnSession(ctx, sessionId)
  assertState(session.state, listPointingStates(sent.element))
  const { event, step, screen } = findPointedStep(ctx, session, { sent, capture })
  const tree = screen === 'before' ? step?.before : step?.after
  const evidence_ref = screen === 'before' ? event.before_state_ref : event.after_state_ref
  if (step === undefined || tree === undefined || evidence_ref === undefined) throw screenNotKept(sent.element, [])
  // The screen may have been read again since the capture was loaded.
  if (evidence_ref !== (screen === 'before' ? step.before_ref : step.after_ref)) {
    throw screenNotKept(sent.element, listVisible(tree))
  }
  const node = locateElement(tree, sent.element)
  const place = placeMark(sent, { node, tree, step, screen, capture })
  const mark: ElementMark = {
    mark_id: ctx.newId(),
    learn_session_id: sessionId,
    kind: sent.kind,
    ...place,
    label: describeElement(node),
    ...(sent.name === undefined ? {} : { name: sent.name }),
    ...(sent.kind === 'output' ? { value_type: sent.value_type ?? ('text' as const) } : {}),
    evidence_ref,
    ...(node.bounds === null ? {} : { bounds: { ...node.bounds } }),
    created_at: ctx.now,
    schema_version: 1,
  }
  store.insertElementMark(ctx.tx, mark)
  recordMark(ctx, mark, 'An element was marked')
  return mark
}

export function removeElementMark(ctx: CommandContext, sessionId: string, markId: string): void {
  const session = getOwnSession(ctx, sessionId)
  assertState(session.state, COACHABLE_STATES)
  const mark = store.findElementMark(ctx.tx, markId)
  if (mark?.learn_session_id !== sessionId) {
    throw new Failure('ELEMENT_MARK_NOT_FOUND', `No mark ${markId} in this session.`)
  }
  store.deleteElementMark(ctx.tx, markId)
  recordMark(ctx, mark, 'A mark was removed')
}

function recordMark(ctx: CommandContext, { learn_session_id, kind, mark_id }: ElementMark, what: string): void {
  recordSessionEvent(ctx, learn_session_id, 'learn.element.marked', {
    ref: `mark:${mark_id}`,
    payload: { kind },
  })
  recordReceipt(ctx, 'learn.element.marked', { learn_session_id, summary: `${what}: ${kind}.`, details: { kind } })
}

interface PointedStep {
  readonly event: StoredObservation
  readonly step: ObservedStep | undefined
  readonly screen: ElementMark['screen']
}

function findPointedStep(
  { tx }: CommandContext,
  { learn_session_id }: StoredSession,
  { sent, capture }: { readonly sent: SentMark; readonly capture: ObservedTrace },
): PointedStep {
  const { event_id, screen } = sent.element
  const event =
    event_id === undefined ? findLastObservation(tx, learn_session_id) : findObservation(tx, learn_session_id, event_id)
  if (event === undefined) {
    if (event_id !== undefined) throw eventNotFound(event_id)
    throw elementNotFound('screen', 'No step was captured yet, so no screen is kept', [])
  }
  const step = capture.steps.find((one) => one.event_id === event.event_id)
  return { event, step, screen: screen === 'before' ? 'before' : 'after' }
}

/** Where a mark belongs: a value to read stays where it was pointed at, a choice belongs to the step that made it. */
function placeMark(
  { kind, value_type = 'text' }: SentMark,
  pointed: {
    readonly node: UiNode
    readonly tree: Hierarchy
    readonly step: ObservedStep
    readonly screen: ElementMark['screen']
    readonly capture: ObservedTrace
  },
): Pick<ElementMark, 'event_id' | 'screen' | 'node_path'> {
  const { node, tree, step, screen, capture } = pointed
  const here = { event_id: step.event_id, screen, node_path: node.path }
  if (kind === 'proof') return here
  if (kind === 'output') {
    const problem = findOutputProblem(node, value_type)
    if (problem !== undefined) throw elementNotFound('path', problem, listVisible(tree))
    return here
  }
  const using = findUsingStep(node, [capture])
  if (using === undefined) {
    throw elementNotFound('path', 'No step chose this element or typed into it', listVisible(tree))
  }
  return { event_id: using.event_id, screen: 'before', node_path: using.node_path ?? node.path }
}

function findOutputProblem(node: UiNode, type: NonNullable<ElementMark['value_type']>): string | undefined {
  const text = describeElement(node)
  if (text === '') return 'The element shows no text that a run could return'
  if (type === 'number' && parseDisplayedNumber(text) === undefined) return 'The element shows no number'
  const isMany = type === 'list' || type === 'column'
  return isMany && findRowAround(node) === undefined ? 'The element is not in a list of similar rows' : undefined
}

const listVisible = (tree: Hierarchy): UiNode[] => [...collectOnScreenNodes(tree.roots, findWindow(tree))]

const screenNotKept = ({ event_id, screen }: ElementReference, visible: readonly UiNode[]): Failure =>
  elementNotFound(
    event_id === undefined ? 'screen' : 'event_id',
    visible.length === 0
      ? `The screen ${screen === 'before' ? 'before' : 'after'} this step is not kept`
      : 'The screen has changed since it was looked at; look at it again',
    visible,
  )
