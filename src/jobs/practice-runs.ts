import type { EvidencedRun } from '../knowledge/interpret/read/evidence.ts'
import type { AdapterRules } from '../domain/capture/adapters.ts'
import { compileWith, generateProposal } from '../domain/review/proposals.ts'
import { type Goal, proofOf, readGoal } from '../knowledge/goal-search/goal.ts'
import {
  asAgent,
  endPractice,
  isLeftProving,
  notePractice,
  type PracticeEnding,
  readNotes,
  type SearchNote,
} from '../domain/practice/practice-record.ts'
import { type Move, Search } from '../knowledge/goal-search/search.ts'
import { followWay, goBack } from '../knowledge/goal-search/planned-edits.ts'
import type { SeenScreen } from '../knowledge/goal-search/seen-screen.ts'
import { standingOf } from '../knowledge/goal-search/goal-status.ts'
import { wordsOf } from '../knowledge/goal-search/words.ts'
import { Failure } from '../failure/failure.ts'
import type { Job } from '../store/command/jobs.ts'
import { findLearnSession } from '../store/sessions/learn-sessions.ts'
import { findPractice, type PracticeRow } from '../store/practice/practices.ts'
import type { JobHandler } from './handler.ts'
import { PracticeDevice, type PracticePort, PracticeOver, writeAs } from './practice-device.ts'
import { PracticeProof } from './practice-proof.ts'
import type { RunnerDeps } from './runner.ts'

export interface PracticeDeps extends PracticePort {
  /** What was observed in a session, with the screens around each step. */
  readonly evidenceOf: (sessionId: string, owner: string) => Promise<readonly EvidencedRun[]>
  readonly rules: AdapterRules
}

const maxDepth = 6

/**
 * Practices. A search only goes through screens, so one that the daemon went away under is taken up again where it
 * was; a proof changes something, so one that was cut off ends, and says so.
 */
export function practiceRuns(edges: RunnerDeps, staff: PracticeDeps): JobHandler {
  return {
    resume: 'rerun',
    run: async (job, signal) => {
      const ending = await practise(edges, staff, { job, signal })
      await writeAs(edges, job.correlation_id, (ctx) => endPractice(ctx, job.job_id, ending))
    },
    settled: (ctx, { job_id, state }) => {
      // The work ends its practice by itself; here only where it could not.
      if (state === 'cancelled') endPractice(ctx, job_id, endings.cancelled)
      else if (state === 'expired') endPractice(ctx, job_id, endings.time)
      else endPractice(ctx, job_id, endings.interrupted)
    },
  }
}

const endings = {
  cancelled: { outcome: 'cancelled', summary: 'Practice was stopped before anything was proven.' },
  moved_on: {
    outcome: 'cancelled',
    summary: 'The session was moved on, so practice stopped before anything was proven.',
  },
  interrupted: {
    outcome: 'interrupted',
    summary: 'The daemon went away in the middle of a proof; what was done then is not known.',
  },
  time: { outcome: 'out_of_time', summary: 'The time was up before anything was proven.' },
  actions: {
    outcome: 'actions_spent',
    summary: 'All actions were used up before anything was proven.',
  },
  not_found: {
    outcome: 'not_found',
    summary: 'Everything that may be tried was tried, and nothing led to the goal.',
  },
} as const satisfies Record<string, PracticeEnding>

async function practise(
  edges: RunnerDeps,
  staff: PracticeDeps,
  { job, signal }: { readonly job: Job; readonly signal: AbortSignal },
): Promise<PracticeEnding> {
  const practice = edges.store.read((reader) => findPractice(reader, job.job_id))
  const reading = readGoal(practice?.goal ?? '')
  if (practice === undefined || !reading.clear) return endings.not_found
  if (edges.store.read((reader) => isLeftProving(reader, job.job_id))) return endings.interrupted
  try {
    return await new PracticeWork(edges, staff, { practice, goal: reading.goal, signal }).run()
  } catch (error) {
    if (error instanceof PracticeOver && error.why === 'device') return lost(error.message)
    if (error instanceof PracticeOver && error.why !== 'device') return endings[error.why]
    if (error instanceof Failure && !signal.aborted) return lost(`${error.code}: ${error.message}`)
    throw error
  }
}

const lost = (message: string): PracticeEnding => ({
  outcome: 'device_failed',
  summary: `Practice could not go on: ${message}`.slice(0, 500),
})

/** One practice, from the first look to the proof. */
class PracticeWork {
  readonly #edges: RunnerDeps
  readonly #staff: PracticeDeps
  readonly #practice: PracticeRow
  readonly #goal: Goal
  readonly #device: PracticeDevice
  readonly #search: Search
  readonly #proof: PracticeProof

  constructor(
    edges: RunnerDeps,
    staff: PracticeDeps,
    parts: { readonly practice: PracticeRow; readonly goal: Goal; readonly signal: AbortSignal },
  ) {
    const { practice, goal } = parts
    const session = edges.store.read((reader) =>
      findLearnSession(reader, practice.learn_session_id),
    )
    const apps = session?.target_app_whitelist ?? []
    this.#edges = edges
    this.#staff = staff
    this.#practice = practice
    this.#goal = goal
    this.#device = new PracticeDevice(edges, staff, { ...parts, apps })
    this.#search = new Search({ wanted: wantedWords(goal), apps, max_depth: maxDepth })
    this.#proof = new PracticeProof(edges, this.#device, { practice, goal, rules: staff.rules })
  }

  async run(): Promise<PracticeEnding> {
    this.#recall()
    const first = await this.#consider(await this.#anew(), [])
    if (first !== undefined) return first
    for (;;) {
      const move = this.#search.next(this.#device.left)
      if (move === undefined) return this.#nothingLeft()
      const seen = await this.#try(move)
      const trail = [...move.path, move.way]
      const ending = seen && (await this.#consider(seen, trail))
      if (ending !== undefined) return ending
    }
  }

  /** What an earlier daemon found out in this practice. */
  #recall(): void {
    const { practice_id } = this.#practice
    for (const note of this.#edges.store.read((reader) => readNotes(reader, practice_id))) {
      if ('begun' in note) this.#search.begin(note.begun)
      else this.#search.tried(note, note.to)
    }
  }

  /** Starts the app anew. */
  async #anew(): Promise<SeenScreen> {
    if (!(await this.#device.startAnew())) {
      throw new PracticeOver('device', `${this.#practice.application_id} could not be started.`)
    }
    const seen = await this.#device.look()
    this.#search.begin(seen.place)
    await this.#note(seen, { begun: seen.place })
    return seen
  }

  /** Where a move led; undefined when nothing new can be seen there. */
  async #try(move: Move): Promise<SeenScreen | undefined> {
    if (!(await this.#travel(move))) {
      this.#search.tried(move, undefined)
      await this.#note(undefined, { ...move, to: undefined })
      return undefined
    }
    const done = await this.#device.act(followWay(move.way))
    const seen = done ? await this.#device.look() : undefined
    const known = seen !== undefined && this.#search.pathTo(seen.place.id) !== undefined
    this.#search.tried(move, seen?.place)
    await this.#note(seen, { ...move, to: seen?.place })
    return known || this.#search.at === undefined ? undefined : seen
  }

  /** To the screen a move begins on: by going back where that is near, else from the start. */
  async #travel({ from, path, travel }: Move): Promise<boolean> {
    if (travel === 'here') return true
    if (travel === 'back') {
      await this.#device.act(goBack)
      const { place } = await this.#device.look()
      this.#search.stand(place)
      if (place.id === from) return true
    }
    let { place } = await this.#anew()
    for (const way of path) {
      if (place.id === from) return true
      if (!(await this.#device.act(followWay(way)))) return false
      place = (await this.#device.look()).place
      this.#search.stand(place)
    }
    return place.id === from
  }

  /** Whether a screen shows the goal, or lets it be reached. */
  async #consider(
    { screen, place }: SeenScreen,
    path: Move['path'],
  ): Promise<PracticeEnding | undefined> {
    const trail = path.map(({ label }) => label)
    const standing = standingOf(this.#goal, { screen, trail })
    if (standing.state === 'unseen') return undefined
    if (standing.state === 'holds' && (this.#goal.kind !== 'open' || path.length === 0)) {
      return { outcome: 'already_so', summary: `It is so already: ${proofOf(this.#goal)}` }
    }
    const way = this.#search.pathTo(place.id) ?? path
    for (const plan of standing.state === 'open' ? standing.plans : [[]]) {
      const proven = await this.#proof.attempt(way, plan)
      this.#search.stand(undefined)
      if (proven) return this.#propose()
    }
    return undefined
  }

  /** The proof is the session's evidence now; unless its owner wants to be asked, it becomes a draft. */
  async #propose(): Promise<PracticeEnding> {
    const { practice_id, learn_session_id: id, owner_user_id } = this.#practice
    const summary = `Proven by reading the screen: ${proofOf(this.#goal)}`.slice(0, 500)
    const runs = await this.#staff.evidenceOf(id, owner_user_id)
    const proposal_id = await writeAs(this.#edges, practice_id, (ctx) => {
      const session = findLearnSession(ctx.tx, id)
      if (session?.state !== 'stopped' || session.build_policy === 'ask_before_build') return null
      const made = generateProposal(asAgent(ctx, owner_user_id), id, compileWith(runs))
      return made.failed ? null : made.proposal_id
    })
    return { outcome: 'proven', summary, ...(proposal_id === null ? {} : { proposal_id }) }
  }

  #nothingLeft(): PracticeEnding {
    return this.#search.next(Number.MAX_SAFE_INTEGER) === undefined
      ? endings.not_found
      : endings.actions
  }

  async #note(seen: SeenScreen | undefined, note: SearchNote): Promise<void> {
    const { practice_id } = this.#practice
    const noted = await writeAs(this.#edges, practice_id, (ctx) => {
      const known = findPractice(ctx.tx, practice_id)
      const closed = [...(known?.closed_ways ?? []), ...(seen?.closed ?? [])]
      const distinct = new Map(closed.map((way) => [`${way.label} ${way.reason}`, way]))
      const practice = notePractice(ctx, practice_id, {
        screens_seen: this.#search.places,
        ways_tried: this.#search.tries,
        closed_ways: [...distinct.values()].slice(0, maxClosed),
        note,
      })
      return practice !== undefined
    })
    if (!noted) throw new PracticeOver('moved_on')
  }
}

const maxClosed = 50

function wantedWords(goal: Goal): string[] {
  const said = [goal.subject, ...(goal.kind === 'set' ? [goal.value] : [])]
  return [...new Set(said.flatMap(wordsOf))]
}
