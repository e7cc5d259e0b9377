import type { Action } from '@apprentice/contracts/devices/action.ts'
import type { RecordingEvent } from '@apprentice/contracts/devices/recording.ts'
import type { StepEvidence } from '../../devices/engine/step-evidence.ts'
import { type DescribedStep, describeStep } from '../../devices/recording/step-description.ts'
import { ProxyRecorder } from '../../devices/recording/proxy-recorder.ts'
import {
  readTextAfterDeletion,
  toCapturedStep,
  type CapturedScreen,
  type CapturedStep,
} from '../../devices/recording/captured-step.ts'
import { hasChanged } from '../../devices/recording/screen-facts.ts'
import { readAppPackage } from '../../screen/tree/hierarchy.ts'
import { printWithoutPasswordsInTurns } from '../../screen/hierarchy-print.ts'
import { systemActor, writeAs } from '../../domain/command/context.ts'
import { decideEffect } from '../../knowledge/verification/effect.ts'
import { appendRecordingEvents } from '../../domain/capture/recordings.ts'
import { ingestEvents } from '../../domain/capture/ingest.ts'
import { saveSettledScreen } from '../../domain/capture/settled-screen.ts'
import { findName, saveKnownTexts, nameText, readKnownTexts } from '../../domain/capture/typed-texts.ts'
import type { ContentFiles } from '../../files/content-files.ts'
import type { RunnerDeps } from '../../jobs/runner.ts'
import { findLearnSession, listSessionsInStates, type StoredSession } from '../../store/sessions/learn-sessions.ts'
import { findObservation } from '../../store/capture/observations.ts'
import { insertObservedStep } from '../../store/capture/observed-steps.ts'
import { findActiveRecording, type RecordedEventRow, type RecordingRow } from '../../store/capture/recordings.ts'
import { insertDemonstratedApp } from '../../store/capture/demonstrated-apps.ts'
import { MASK } from '../../knowledge/redaction/masking.ts'
import type { ReplacedLiteral } from '../../knowledge/redaction/replace-literal.ts'
import { CapturedTrees, parseTree } from './captured-trees.ts'
import { TypedTexts } from './typed-texts.ts'
import { type ReadAppBuild, readNewApp } from './demonstrated-app.ts'
import { toIncomingEvent, toObservedAction } from './observed-action.ts'

/** Who acts on which device. */
export interface CaptureSubject {
  readonly serial: string
  readonly owner_user_id: string
  readonly execution_id?: string | undefined
}

/** A finished action of an execution. */
export interface ExecutedAction {
  readonly action: Action
  readonly evidence: StepEvidence
  /** Activity in front after it. */
  readonly activity: string | undefined
}

/** What a touch recorder reports: a step with its screens, or only events. */
export interface TouchReport {
  readonly events: readonly RecordingEvent[]
  readonly described?: DescribedStep
  readonly screens?: Pick<CapturedStep, 'before' | 'after'>
}

/** A step that was stored in a capturing session. */
export interface CapturedStepRef {
  readonly learn_session_id: string
  readonly event_id: string
}

interface Listeners {
  readonly recording: RecordingRow | undefined
  readonly session: StoredSession | undefined
}

/** Replaces a text by its token if it was typed without consent. */
type Rename = (text: string) => string

/** Stores actions on a device as events of a recording, and as observed steps of a capturing session. */
export class CaptureRecorder {
  readonly #deps: RunnerDeps
  readonly #trees: CapturedTrees
  readonly #readAppBuild: ReadAppBuild
  /** The recorders of proxy recordings in progress, by serial: a device has at most one. */
  readonly #proxies = new Map<string, { recording_id: string; proxy: ProxyRecorder }>()
  readonly #typedTexts = new TypedTexts()

  constructor(deps: RunnerDeps, files: ContentFiles, readAppBuild: ReadAppBuild) {
    this.#deps = deps
    this.#trees = new CapturedTrees(deps, files)
    this.#readAppBuild = readAppBuild
  }

  /** Whether a recording or a session captures what the user does on the device. */
  isListening(subject: CaptureSubject): boolean {
    const { recording, session } = this.#findListeners(subject)
    return recording !== undefined || session !== undefined
  }

  /** The token to store instead of a typed text. Undefined if the text itself may be stored. */
  async findTextToken(subject: CaptureSubject, action: Action): Promise<string | undefined> {
    if (action.type !== 'enter_text') return undefined
    const { text } = action.params
    const rename = await this.#prepareRename(this.#findListeners(subject), text)
    const token = rename(text)
    return token === text ? undefined : token
  }

  /** Replaces a whole text by its token if it was typed without consent in the running capture. */
  prepareRename(subject: CaptureSubject): Promise<Rename> {
    return this.#prepareRename(this.#findListeners(subject), undefined)
  }

  /** The texts that were typed in the running capture and must not be stored. */
  listTypedTexts(subject: CaptureSubject): ReplacedLiteral[] {
    const { session } = this.#findListeners(subject)
    return session === undefined ? [] : this.#typedTexts.list(session.learn_session_id)
  }

  /** From now on the running capture stores a mask instead of this text. */
  rememberPassword(subject: CaptureSubject, literal: string): void {
    const { session } = this.#findListeners(subject)
    if (session !== undefined) this.#typedTexts.add(session.learn_session_id, { literal, by: MASK })
  }

  /** Returns the step of the capturing session. Undefined if none was stored. */
  async recordExecuted(
    subject: CaptureSubject,
    { action, evidence, activity }: ExecutedAction,
  ): Promise<CapturedStepRef | undefined> {
    const listeners = this.#findListeners(subject)
    if (listeners.recording === undefined && listeners.session === undefined) return undefined
    const typed = evidence.password === true ? undefined : readTyped(action, evidence)
    const rename = await this.#prepareRename(listeners, typed)
    const [before, after] = [
      await this.#storeScreen(evidence.before, { ...subject, listeners, rename }),
      await this.#storeScreen(evidence.after, { ...subject, listeners, rename }),
    ]
    const step = toCapturedStep(action, {
      at_ms: this.#deps.clock().getTime(),
      before,
      after: after && { ...after, activity },
      node: evidence.node,
      point: evidence.point,
      end: evidence.end,
      effect: decideEffect(evidence.effect).effect,
    })
    if (step === undefined) return undefined
    const proxy = listeners.recording?.source === 'proxy' ? this.#openProxy(listeners.recording) : undefined
    const { events, described } = proxy?.addStep(step) ?? {
      events: [],
      described: describeStep(step),
    }
    return this.#write(subject, listeners, { events, described, rename })
  }

  /** Stores a later reading as the screen after a captured step. Does nothing if it shows the stored screen. */
  async replaceAfter(subject: CaptureSubject, step: CapturedStepRef, screen: CapturedScreen): Promise<void> {
    const { store } = this.#deps
    const { learn_session_id, event_id } = step
    const observed = store.read((reader) => findObservation(reader, learn_session_id, event_id) ?? null)
    if (observed === null) return
    const listeners = this.#findListeners(subject)
    // Without its session, typed texts could not be told from others.
    if (listeners.session?.learn_session_id !== learn_session_id) return
    const rename = await this.#prepareRename(listeners, undefined)
    const [before, after] = await Promise.all(
      [observed.before_state_ref, observed.after_state_ref].map((ref) => this.#trees.read(ref, subject.owner_user_id)),
    )
    const shown = await parseTree(await printWithoutPasswordsInTurns(screen.hierarchy, rename))
    if (shown === undefined || (after !== undefined && !hasChanged({ hierarchy: after }, { hierarchy: shown }))) return
    // Another app is in front by now, which is not where the step led.
    if (after !== undefined && readAppPackage(after) !== readAppPackage(shown)) return
    const stored = await this.#storeScreen(screen, { ...subject, listeners, rename })
    if (stored?.ref === undefined) return
    const changes = {
      event_id,
      after_state_ref: stored.ref,
      caused_state_change: before !== undefined && hasChanged({ hierarchy: before }, { hierarchy: shown }),
      activity: screen.activity ?? undefined,
    }
    const origin = { actor: systemActor(subject.owner_user_id), correlation_id: this.#deps.newId() }
    await writeAs(this.#deps, origin, (ctx) => saveSettledScreen(ctx, learn_session_id, changes))
  }

  /** Stores what a touch recorder reports. */
  async recordTouched(subject: CaptureSubject, { events, described, screens }: TouchReport): Promise<void> {
    const listeners = this.#findListeners(subject)
    const rename = await this.#prepareRename(listeners, described?.text)
    const owner = { ...subject, listeners, rename }
    const [before, after] = [
      await this.#storeScreen(screens?.before, owner),
      await this.#storeScreen(screens?.after, owner),
    ]
    const refs = { before_ref: before?.ref, after_ref: after?.ref }
    await this.#write(subject, listeners, {
      events,
      described: described && { ...described, ...refs },
      rename,
    })
  }

  /** Removes what is in memory of a recording that has ended. */
  endRecording({ serial, recording_id }: Pick<RecordingRow, 'serial' | 'recording_id'>): void {
    if (this.#proxies.get(serial)?.recording_id === recording_id) this.#proxies.delete(serial)
  }

  /** The number of proxy recordings in memory. */
  get openProxies(): number {
    return this.#proxies.size
  }

  #findListeners({ serial, owner_user_id }: CaptureSubject): Listeners {
    return this.#deps.store.read((reader) => {
      const active = findActiveRecording(reader, serial)
      const recording = active?.owner_user_id === owner_user_id ? active : undefined
      const bound = listSessionsInStates(reader, owner_user_id, ['capturing']).find(
        (session) =>
          (session.device_serial === serial || session.learn_session_id === recording?.learn_session_id) &&
          session.adapters_armed.includes('wrapper_receipt'),
      )
      return { recording, session: bound }
    })
  }

  /** Without consent, a typed text is stored only as its token. A new text gets its token here. */
  async #prepareRename({ session, recording }: Listeners, typed: string | undefined): Promise<Rename> {
    const captured = session ?? this.#findLinkedSession(recording)
    if (captured === undefined) return (text) => text
    const { learn_session_id } = captured
    if (captured.text_capture_consent) return (text) => this.#typedTexts.replace(learn_session_id, text)
    const known = this.#deps.store.read((reader) => readKnownTexts(reader, captured))
    const storedCount = known.numbers.size
    if (typed !== undefined) {
      this.#typedTexts.add(learn_session_id, { literal: typed, by: nameText(known, typed) })
      await this.#deps.store.write((tx) => {
        saveKnownTexts(tx, learn_session_id, { known, storedCount })
      })
    }
    return (text) => findName(known, text) ?? this.#typedTexts.replace(learn_session_id, text)
  }

  #findLinkedSession(recording: RecordingRow | undefined): StoredSession | undefined {
    const id = recording?.learn_session_id
    return id === undefined ? undefined : this.#deps.store.read((reader) => findLearnSession(reader, id))
  }

  async #storeScreen(
    screen: Pick<CapturedScreen, 'hierarchy' | 'captured_at'> | undefined,
    owner: CaptureSubject & { listeners: Listeners; rename: Rename },
  ): Promise<CapturedScreen | undefined> {
    if (screen === undefined) return undefined
    const { listeners, rename, ...subject } = owner
    const xml = await printWithoutPasswordsInTurns(screen.hierarchy, rename)
    const ref = `evidence:${await this.#storeTree(xml, subject, listeners)}`
    return { hierarchy: screen.hierarchy, captured_at: screen.captured_at, ref }
  }

  #storeTree(xml: string, subject: CaptureSubject, { session, recording }: Listeners): Promise<string> {
    const learn_session_id = session?.learn_session_id ?? recording?.learn_session_id
    return this.#trees.store(xml, { ...subject, learn_session_id })
  }

  async #write(
    subject: CaptureSubject,
    listeners: Listeners,
    capture: {
      events: readonly RecordingEvent[]
      described: DescribedStep | undefined
      rename: Rename
    },
  ): Promise<CapturedStepRef | undefined> {
    const { recording, session } = listeners
    const { events, described, rename } = capture
    const rows: Omit<RecordedEventRow, 'seq'>[] = []
    for (const { snapshot, ...body } of events) {
      const tree = typeof snapshot === 'string' ? await this.#storeTree(snapshot, subject, listeners) : undefined
      rows.push({ body: renameTexts(body, rename), snapshot_evidence_id: tree })
    }
    const { newId } = this.#deps
    const app =
      session &&
      (await readNewApp(
        this.#deps.store,
        { serial: subject.serial, learn_session_id: session.learn_session_id, packageId: described?.app ?? '' },
        this.#readAppBuild,
      ))
    const actor = { kind: 'user', user_id: subject.owner_user_id } as const
    const correlation_id = subject.execution_id ?? newId()
    return writeAs(this.#deps, { actor, correlation_id }, (ctx) => {
      const { tx } = ctx
      if (recording !== undefined) appendRecordingEvents(ctx, recording.recording_id, rows)
      if (session === undefined || described === undefined) return undefined
      const current = findLearnSession(tx, session.learn_session_id)
      if (current?.state !== 'capturing') return undefined
      const event = toIncomingEvent(described, current, { event_id: newId(), rename })
      ingestEvents(ctx, current, { batch_request_id: newId(), events: [event] })
      const { event_id, learn_session_id } = event
      if (findObservation(tx, learn_session_id, event_id) === undefined) return undefined
      const body = toObservedAction(described, current, rename)
      insertObservedStep(tx, { event_id, learn_session_id, body })
      if (app !== undefined) insertDemonstratedApp(tx, app)
      return { learn_session_id, event_id }
    })
  }

  #openProxy({ recording_id, serial, session_id, started_at }: RecordingRow): ProxyRecorder {
    const known = this.#proxies.get(serial)
    if (known?.recording_id === recording_id) return known.proxy
    const proxy = new ProxyRecorder({ sessionId: session_id, startedAtMs: Date.parse(started_at) })
    this.#proxies.set(serial, { recording_id, proxy })
    return proxy
  }
}

/** The text that is in the field because of the action. An empty one is no text that must not be stored. */
function readTyped(action: Action, evidence: StepEvidence): string | undefined {
  if (action.type === 'enter_text') return action.params.text
  return action.type === 'press_edit_key' ? readTextAfterDeletion(evidence) || undefined : undefined
}

/** Renames all texts of an event, because each may be a typed text. */
function renameTexts<Body extends object>(body: Body, rename: Rename): Body {
  const entries = Object.entries(body).map(([name, value]) =>
    TEXT_FIELDS.has(name) && typeof value === 'string' ? [name, rename(value)] : [name, value],
  )
  return Object.fromEntries(entries) as Body
}

const TEXT_FIELDS = new Set(['text', 'contentDesc', 'title'])
