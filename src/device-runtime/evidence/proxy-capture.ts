import type { Action } from '@apprentice/contracts/devices/action.ts'
import type { RecordingEvent } from '@apprentice/contracts/devices/recording.ts'
import type { StepEvidence as SeenStep } from '../../devices/engine/step-evidence.ts'
import type { AppBuild } from '../../devices/driver/fact-parsers.ts'
import { type ObservedStep, observeStep } from '../../devices/recording/observed-step.ts'
import { ProxyRecorder } from '../../devices/recording/proxy-recorder.ts'
import {
  executedStep,
  type ScreenEvidence,
  type StepEvidence,
} from '../../devices/recording/step-evidence.ts'
import { printWithoutPasswords } from '../../screen/hierarchy-print.ts'
import type { CommandContext } from '../../domain/command/context.ts'
import { decideEffect } from '../../knowledge/verification/effect.ts'
import { appendEvents } from '../../domain/capture/recordings.ts'
import { ingestEvents } from '../../domain/capture/ingest.ts'
import {
  findName,
  keepKnownTexts,
  nameText,
  readKnownTexts,
} from '../../domain/capture/typed-texts.ts'
import type { EvidenceFiles } from '../../files/evidence-files.ts'
import type { RunnerDeps } from '../../jobs/runner.ts'
import { findDevice } from '../../store/devices/devices.ts'
import { insertEvidence } from '../../store/capture/evidence.ts'
import {
  findLearnSession,
  listSessionsInStates,
  type StoredSession,
} from '../../store/sessions/learn-sessions.ts'
import { findObservation } from '../../store/capture/observations.ts'
import { insertObservedStep } from '../../store/capture/observed-steps.ts'
import {
  findActiveRecording,
  type RecordedEventRow,
  type RecordingRow,
} from '../../store/capture/recordings.ts'
import { findShownApp, type ShownApp, upsertShownApp } from '../../store/capture/shown-apps.ts'
import { toIncoming, toObservedStep } from './observed-action.ts'

/** Whose doing it is, and on which device. */
export interface Doing {
  readonly serial: string
  readonly owner_user_id: string
  readonly execution_id?: string | undefined
}

/** A step of an execution, and which window was in front after it. */
export interface Executed {
  readonly action: Action
  readonly seen: SeenStep
  readonly activity: string | undefined
}

/** Something that was not done through the daemon. */
export interface Touched {
  readonly events: readonly RecordingEvent[]
  readonly observed?: ObservedStep
  readonly seen?: Pick<StepEvidence, 'before' | 'after'>
}

interface Listeners {
  readonly recording: RecordingRow | undefined
  readonly session: StoredSession | undefined
}

type Rename = (text: string) => string

/** Which build of an app a device has; undefined when it does not tell. */
export type BuildOf = (serial: string, app: string) => Promise<AppBuild | undefined>

/** Keeps what is done on a device: as a recording, and as observed actions of a capturing session bound to it. */
export class Recorder {
  readonly #edges: RunnerDeps
  readonly #files: EvidenceFiles
  readonly #buildOf: BuildOf
  readonly #proxies = new Map<string, ProxyRecorder>()

  constructor(edges: RunnerDeps, files: EvidenceFiles, buildOf: BuildOf) {
    this.#edges = edges
    this.#files = files
    this.#buildOf = buildOf
  }

  /** Does anybody want to know what this user does on this device? */
  isListening(doing: Doing): boolean {
    const { recording, session } = this.#listeners(doing)
    return recording !== undefined || session !== undefined
  }

  /** How a text that this step types may be written down: by its name, where a capture has no consent for more. */
  async spelling(doing: Doing, action: Action): Promise<string | undefined> {
    if (action.type !== 'enter_text') return undefined
    const { text } = action.params
    const spelled = (await this.#renaming(this.#listeners(doing), text))(text)
    return spelled === text ? undefined : spelled
  }

  async executed(doing: Doing, { action, seen, activity }: Executed): Promise<void> {
    const listeners = this.#listeners(doing)
    if (listeners.recording === undefined && listeners.session === undefined) return
    const typed =
      action.type === 'enter_text' && seen.password !== true ? action.params.text : undefined
    const rename = await this.#renaming(listeners, typed)
    const [before, after] = [
      await this.#keepScreen(seen.before, { ...doing, listeners, rename }),
      await this.#keepScreen(seen.after, { ...doing, listeners, rename }),
    ]
    const step = executedStep(action, {
      at_ms: this.#edges.clock().getTime(),
      before,
      after: after && { ...after, activity },
      node: seen.node,
      point: seen.point,
      effect: decideEffect(seen.effect).effect,
    })
    if (step === undefined) return
    const proxy =
      listeners.recording?.source === 'proxy' ? this.#proxyOf(listeners.recording) : undefined
    const { events, observed } = proxy?.add(step) ?? { events: [], observed: observeStep(step) }
    await this.#write(doing, listeners, { events, observed, rename })
  }

  /** What fingers did on the phone itself, or what it showed meanwhile. */
  async touched(doing: Doing, { events, observed, seen }: Touched): Promise<void> {
    const listeners = this.#listeners(doing)
    const rename = await this.#renaming(listeners, observed?.typed_text)
    const keeping = { ...doing, listeners, rename }
    const [before, after] = [
      await this.#keepScreen(seen?.before, keeping),
      await this.#keepScreen(seen?.after, keeping),
    ]
    const kept = observed && { ...observed, before_ref: before?.ref, after_ref: after?.ref }
    await this.#write(doing, listeners, { events, observed: kept, rename })
  }

  #listeners({ serial, owner_user_id }: Doing): Listeners {
    return this.#edges.store.read((reader) => {
      const active = findActiveRecording(reader, serial)
      const recording = active?.owner_user_id === owner_user_id ? active : undefined
      const bound = listSessionsInStates(reader, owner_user_id, ['capturing']).find(
        (session) =>
          (session.device_serial === serial ||
            session.learn_session_id === recording?.learn_session_id) &&
          session.adapters_armed.includes('wrapper_receipt'),
      )
      return { recording, session: bound }
    })
  }

  /** Without consent a typed text is known by a name only, from the moment it is typed. */
  async #renaming({ session, recording }: Listeners, typed: string | undefined): Promise<Rename> {
    const captured = session ?? this.#linkedSession(recording)
    if (captured === undefined || captured.text_capture_consent) return (text) => text
    const known = this.#edges.store.read((reader) => readKnownTexts(reader, captured))
    const already = known.numbers.size
    if (typed !== undefined) {
      nameText(known, typed)
      await this.#edges.store.write((tx) => {
        keepKnownTexts(tx, captured.learn_session_id, { known, already })
      })
    }
    return (text) => findName(known, text) ?? text
  }

  #linkedSession(recording: RecordingRow | undefined): StoredSession | undefined {
    const id = recording?.learn_session_id
    return id === undefined
      ? undefined
      : this.#edges.store.read((reader) => findLearnSession(reader, id))
  }

  async #keepScreen(
    screen: Pick<ScreenEvidence, 'hierarchy' | 'captured_at'> | undefined,
    keeping: Doing & { listeners: Listeners; rename: Rename },
  ): Promise<ScreenEvidence | undefined> {
    if (screen === undefined) return undefined
    const xml = printWithoutPasswords(screen.hierarchy, keeping.rename)
    const ref = `evidence:${await this.#keepTree(xml, keeping, keeping.listeners)}`
    return { hierarchy: screen.hierarchy, captured_at: screen.captured_at, ref }
  }

  async #keepTree(xml: string, doing: Doing, { session, recording }: Listeners): Promise<string> {
    const bytes = Buffer.from(xml)
    const sha256 = await this.#files.write(bytes)
    const evidence_id = this.#edges.newId()
    await this.#edges.store.write((tx) =>
      insertEvidence(tx, {
        ...doing,
        evidence_id,
        learn_session_id: session?.learn_session_id ?? recording?.learn_session_id,
        media_type: 'application/xml',
        sha256,
        bytes: bytes.length,
        created_at: this.#edges.clock().toISOString(),
      }),
    )
    return evidence_id
  }

  async #write(
    doing: Doing,
    listeners: Listeners,
    done: { events: readonly RecordingEvent[]; observed: ObservedStep | undefined; rename: Rename },
  ): Promise<void> {
    const { recording, session } = listeners
    const rows: Omit<RecordedEventRow, 'seq'>[] = []
    for (const { snapshot, ...body } of done.events) {
      const tree =
        typeof snapshot === 'string' ? await this.#keepTree(snapshot, doing, listeners) : undefined
      rows.push({ body: renamed(body, done.rename), snapshot_evidence_id: tree })
    }
    const { newId, clock, store } = this.#edges
    const shown = session && (await this.#shownApp(doing, session, done.observed))
    await store.write((tx) => {
      const ctx: CommandContext = {
        tx,
        now: clock().toISOString(),
        actor: { kind: 'user', user_id: doing.owner_user_id },
        correlation_id: doing.execution_id ?? newId(),
        newId,
      }
      if (recording !== undefined) appendEvents(ctx, recording.recording_id, rows)
      if (session === undefined || done.observed === undefined) return
      const current = findLearnSession(tx, session.learn_session_id)
      if (current?.state !== 'capturing') return
      const event = toIncoming(done.observed, current, {
        event_id: newId(),
        rename: done.rename,
      })
      ingestEvents(ctx, current, { batch_request_id: newId(), events: [event] })
      const { event_id, learn_session_id } = event
      if (findObservation(tx, learn_session_id, event_id) === undefined) return
      const step = toObservedStep(done.observed, current, done.rename)
      insertObservedStep(tx, { event_id, learn_session_id, step })
      if (shown !== undefined) upsertShownApp(tx, shown)
    })
  }

  /** What an app is when a session first sees it; undefined where that is known already. */
  async #shownApp(
    { serial }: Doing,
    { learn_session_id }: StoredSession,
    observed: ObservedStep | undefined,
  ): Promise<ShownApp | undefined> {
    const app = observed?.app_family.slice(0, 80) ?? ''
    const { store } = this.#edges
    const known = store.read((reader) => findShownApp(reader, learn_session_id, app) ?? null)
    if (app === '' || known !== null) return undefined
    const build = await this.#buildOf(serial, app)
    const facts = store.read((reader) => findDevice(reader, serial)?.facts)
    return {
      learn_session_id,
      app,
      version_name: build?.versionName,
      version_code: build?.versionCode,
      android_api: facts?.sdk,
      device_model: facts?.model?.slice(0, 120),
      locale: facts?.locale?.slice(0, 35),
    }
  }

  #proxyOf({ recording_id, session_id, started_at }: RecordingRow): ProxyRecorder {
    const known = this.#proxies.get(recording_id)
    if (known !== undefined) return known
    const proxy = new ProxyRecorder({ sessionId: session_id, startedAtMs: Date.parse(started_at) })
    this.#proxies.set(recording_id, proxy)
    return proxy
  }
}

/** Whatever an event says in words may be a text that was typed. */
function renamed<Body extends object>(body: Body, rename: Rename): Body {
  const said = Object.entries(body).map(([name, value]) =>
    wordy.has(name) && typeof value === 'string' ? [name, rename(value)] : [name, value],
  )
  return Object.fromEntries(said) as Body
}

const wordy = new Set(['text', 'contentDesc', 'title'])
