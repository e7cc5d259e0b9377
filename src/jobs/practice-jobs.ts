import { compileWith, generateProposal } from '../domain/review/generate-proposal.ts'
import { type Goal, describeProof, parseGoal } from '../knowledge/goal-search/goal.ts'
import {
  asAgent,
  endPractice,
  wasInterruptedProving,
  recordPracticeProgress,
  type PracticeEnding,
  listSearchNotes,
  type SearchNote,
} from '../domain/practice/practice-record.ts'
import { type Move, Search } from '../knowledge/goal-search/search.ts'
import { toWayAction, GO_BACK } from '../knowledge/goal-search/planned-actions.ts'
import type { SearchScreen } from '../knowledge/goal-search/search-screen.ts'
import { evaluateGoal } from '../knowledge/goal-search/goal-status.ts'
import { splitWords } from '../knowledge/goal-search/goal-words.ts'
import { Failure } from '../failure/failure.ts'
import type { Job } from '../store/command/jobs.ts'
import { findLearnSession } from '../store/sessions/learn-sessions.ts'
import { findPractice, type PracticeRow } from '../store/practice/practices.ts'
import { writeAs } from '../domain/command/context.ts'
import { type JobHandler, jobOrigin } from './handler.ts'
import { type PracticeDeps, PracticeDevice, PracticeStopped, writePractice } from './practice-device.ts'
import { PracticeProof } from './practice-proof.ts'

const MAX_DEPTH = 6

/**
 * The jobs of practices. A search only navigates, so after a restart of the daemon it continues. A proof changes
 * something, so an interrupted proof ends the practice.
 */
export function practiceJobs(deps: PracticeDeps): JobHandler {
  return {
    resume: 'rerun',
    run: async (job, signal) => {
      const ending = await runPractice(deps, job, signal)
      await writeAs(deps, jobOrigin(job), (ctx) => endPractice(ctx, job.job_id, ending))
    },
    onSettled: (ctx, { job_id, state }) => {
      // Has no effect when `run` ended the practice.
      if (state === 'cancelled') endPractice(ctx, job_id, ENDINGS.cancelled)
      else if (state === 'expired') endPractice(ctx, job_id, ENDINGS.time)
      else endPractice(ctx, job_id, ENDINGS.interrupted)
    },
  }
}

const ENDINGS = {
  cancelled: {
    outcome: 'cancelled',
    summary: 'The practice was stopped before the goal was proven.',
  },
  moved_on: {
    outcome: 'cancelled',
    summary: 'The state of the session changed before the goal was proven.',
  },
  interrupted: {
    outcome: 'interrupted',
    summary: 'The daemon stopped during a proof. What was done on the device is unknown.',
  },
  time: {
    outcome: 'out_of_time',
    summary: 'The time limit was reached before the goal was proven.',
  },
  actions: {
    outcome: 'actions_spent',
    summary: 'The action limit was reached before the goal was proven.',
  },
  not_found: {
    outcome: 'not_found',
    summary: 'All allowed ways were tried, and none led to the goal.',
  },
} as const satisfies Record<string, PracticeEnding>

async function runPractice(deps: PracticeDeps, job: Job, signal: AbortSignal): Promise<PracticeEnding> {
  const practice = deps.store.read((reader) => findPractice(reader, job.job_id))
  const parsed = parseGoal(practice?.goal ?? '')
  if (practice === undefined || !parsed.clear) return ENDINGS.not_found
  if (deps.store.read((reader) => wasInterruptedProving(reader, job.job_id))) return ENDINGS.interrupted
  try {
    return await new PracticeWork(deps, { practice, goal: parsed.goal, signal }).run()
  } catch (error) {
    if (error instanceof PracticeStopped && error.reason === 'device') return deviceFailed(error.message)
    if (error instanceof PracticeStopped && error.reason !== 'device') return ENDINGS[error.reason]
    if (error instanceof Failure && !signal.aborted) return deviceFailed(`${error.code}: ${error.message}`)
    throw error
  }
}

const deviceFailed = (message: string): PracticeEnding => ({
  outcome: 'device_failed',
  summary: `The device failed: ${message}`.slice(0, 500),
})

/** One practice, from the first reading to the proof. */
class PracticeWork {
  readonly #deps: PracticeDeps
  readonly #practice: PracticeRow
  readonly #goal: Goal
  readonly #device: PracticeDevice
  readonly #search: Search
  readonly #proof: PracticeProof

  constructor(
    deps: PracticeDeps,
    parts: { readonly practice: PracticeRow; readonly goal: Goal; readonly signal: AbortSignal },
  ) {
    const { practice, goal } = parts
    const session = deps.store.read((reader) => findLearnSession(reader, practice.learn_session_id))
    const apps = session?.target_app_whitelist ?? []
    this.#deps = deps
    this.#practice = practice
    this.#goal = goal
    this.#device = new PracticeDevice(deps, { ...parts, apps })
    this.#search = new Search({ goal_words: listGoalWords(goal), apps, max_depth: MAX_DEPTH })
    this.#proof = new PracticeProof(deps, this.#device, { practice, goal })
  }

  async run(): Promise<PracticeEnding> {
    this.#restore()
    const first = await this.#consider(await this.#restart(), [])
    if (first !== undefined) return first
    for (;;) {
      const move = this.#search.findNextMove(this.#device.remainingActions)
      if (move === undefined) return this.#endSearch()
      const seen = await this.#try(move)
      const trail = [...move.path, move.way]
      const ending = seen && (await this.#consider(seen, trail))
      if (ending !== undefined) return ending
    }
  }

  /** Restores the search from the stored notes. */
  #restore(): void {
    const { practice_id } = this.#practice
    for (const note of this.#deps.store.read((reader) => listSearchNotes(reader, practice_id))) {
      if ('begun' in note) this.#search.startAt(note.begun)
      else this.#search.recordTry(note, note.to)
    }
  }

  async #restart(): Promise<SearchScreen> {
    if (!(await this.#device.restartApp())) {
      throw new PracticeStopped('device', `${this.#practice.application_id} could not be started.`)
    }
    const seen = await this.#device.readScreen()
    this.#search.startAt(seen.place)
    await this.#save(seen, { begun: seen.place })
    return seen
  }

  /** Returns the screen a move led to, or undefined if it is not a new one. */
  async #try(move: Move): Promise<SearchScreen | undefined> {
    if (!(await this.#travel(move))) {
      this.#search.recordTry(move, undefined)
      await this.#save(undefined, { ...move, to: undefined })
      return undefined
    }
    const done = await this.#device.execute(toWayAction(move.way))
    const seen = done ? await this.#device.readScreen() : undefined
    const known = seen !== undefined && this.#search.findPath(seen.place.id) !== undefined
    this.#search.recordTry(move, seen?.place)
    await this.#save(seen, { ...move, to: seen?.place })
    return known || this.#search.position === undefined ? undefined : seen
  }

  /** Goes to the screen of a move: by the back key if it is the parent, otherwise from the start. */
  async #travel({ from, path, travel }: Move): Promise<boolean> {
    if (travel === 'here') return true
    if (travel === 'back') {
      await this.#device.execute(GO_BACK)
      const { place } = await this.#device.readScreen()
      this.#search.setPosition(place)
      if (place.id === from) return true
    }
    let { place } = await this.#restart()
    for (const way of path) {
      if (place.id === from) return true
      if (!(await this.#device.execute(toWayAction(way)))) return false
      place = (await this.#device.readScreen()).place
      this.#search.setPosition(place)
    }
    return place.id === from
  }

  /** Ends the practice if the screen shows the goal or a proof on it succeeds. */
  async #consider({ screen, place }: SearchScreen, path: Move['path']): Promise<PracticeEnding | undefined> {
    const trail = path.map(({ label }) => label)
    const status = evaluateGoal(this.#goal, { screen, trail })
    if (status.state === 'unseen') return undefined
    if (status.state === 'holds' && (this.#goal.kind !== 'open' || path.length === 0)) {
      return {
        outcome: 'already_so',
        summary: `The goal is already reached: ${describeProof(this.#goal)}`,
      }
    }
    const way = this.#search.findPath(place.id) ?? path
    for (const plan of status.state === 'open' ? status.plans : [[]]) {
      const proven = await this.#proof.attempt(way, plan)
      this.#search.setPosition(undefined)
      if (proven) return this.#propose()
    }
    return undefined
  }

  /** Drafts a proposal from the proof, unless the build policy is `ask_before_build`. */
  async #propose(): Promise<PracticeEnding> {
    const { learn_session_id: id, owner_user_id } = this.#practice
    const summary = `Proven by a screen reading: ${describeProof(this.#goal)}`.slice(0, 500)
    const traces = await this.#deps.evidence.readSession(id, owner_user_id)
    const proposal_id = await writePractice(this.#deps, this.#practice, (ctx) => {
      const session = findLearnSession(ctx.tx, id)
      if (session?.state !== 'stopped' || session.build_policy === 'ask_before_build') return null
      const made = generateProposal(asAgent(ctx, owner_user_id), id, compileWith(traces))
      return made.failed ? null : made.proposal_id
    })
    return { outcome: 'proven', summary, ...(proposal_id === null ? {} : { proposal_id }) }
  }

  #endSearch(): PracticeEnding {
    return this.#search.findNextMove(Number.MAX_SAFE_INTEGER) === undefined ? ENDINGS.not_found : ENDINGS.actions
  }

  async #save(seen: SearchScreen | undefined, note: SearchNote): Promise<void> {
    const { practice_id } = this.#practice
    const isOpen = await writePractice(this.#deps, this.#practice, (ctx) => {
      const known = findPractice(ctx.tx, practice_id)
      const closed = [...(known?.closed_ways ?? []), ...(seen?.closed ?? [])]
      const distinct = new Map(closed.map((way) => [`${way.label} ${way.reason}`, way]))
      const practice = recordPracticeProgress(ctx, practice_id, {
        screens_seen: this.#search.placeCount,
        ways_tried: this.#search.tryCount,
        closed_ways: [...distinct.values()].slice(0, MAX_CLOSED_WAYS),
        note,
      })
      return practice !== undefined
    })
    if (!isOpen) throw new PracticeStopped('moved_on')
  }
}

const MAX_CLOSED_WAYS = 50

function listGoalWords(goal: Goal): string[] {
  const texts = [goal.subject, ...(goal.kind === 'set' ? [goal.value] : [])]
  return [...new Set(texts.flatMap(splitWords))]
}
