import { generateProposal } from '../../domain/review/generate-proposal.ts'
import type { Compile } from '../../domain/proposals/draft/skill-draft.ts'
import { Failure } from '../../failure/failure.ts'
import { ENDINGS } from '../../domain/practice/practice-endings.ts'
import {
  asAgent,
  recordPracticeProgress,
  type PracticeEnding,
  listSearchNotes,
  type SearchNote,
} from '../../domain/practice/practice-record.ts'
import { explainSearch, mergeClosedWays } from '../../domain/practice/search-report.ts'
import { type Goal, describeSubGoal, listGoalWords } from '../../knowledge/goal-search/goal/goal.ts'
import { toWayAction, GO_BACK } from '../../knowledge/goal-search/planned-actions.ts'
import { type ProofTask, Pursuit } from '../../knowledge/goal-search/pursuit.ts'
import { type Move, Search } from '../../knowledge/goal-search/search.ts'
import type { SearchScreen } from '../../knowledge/goal-search/search-screen.ts'
import type { ClosedWay } from '../../knowledge/goal-search/ways.ts'
import { findLearnSession } from '../../store/sessions/learn-sessions.ts'
import { findPractice, type PracticeRow } from '../../store/practice/practices.ts'
import { type PracticeDeps, PracticeDevice, PracticeStopped, writePractice } from './device.ts'
import { PracticeProof } from './proof.ts'

/** Why a proof may not be interpreted. */
const LEARNING_FAILURES: ReadonlySet<string> = new Set(['WORK_LIMIT_EXCEEDED', 'OVERLOADED'])
const MAX_DEPTH = 6

/** One practice, from the first reading to the proof. */
export class PracticeWork {
  readonly #deps: PracticeDeps
  readonly #practice: PracticeRow
  readonly #pursuit: Pursuit
  readonly #device: PracticeDevice
  readonly #search: Search
  readonly #proof: PracticeProof
  #resumed = false

  constructor(
    deps: PracticeDeps,
    parts: { readonly practice: PracticeRow; readonly goal: Goal; readonly signal: AbortSignal },
  ) {
    const { practice, goal } = parts
    const session = deps.store.read((reader) => findLearnSession(reader, practice.learn_session_id))
    const apps = session?.target_app_whitelist ?? []
    this.#deps = deps
    this.#practice = practice
    this.#pursuit = new Pursuit(goal)
    this.#device = new PracticeDevice(deps, { ...parts, apps })
    this.#search = new Search({ goal_words: listGoalWords(goal), apps, max_depth: MAX_DEPTH })
    this.#proof = new PracticeProof(deps, this.#device, practice)
  }

  async run(): Promise<PracticeEnding> {
    const ending = await this.#run()
    return ending.outcome === 'proven' || ending.outcome === 'already_so' ? ending : this.#explain(ending)
  }

  async #run(): Promise<PracticeEnding> {
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
      this.#resumed = true
      if ('begun' in note) this.#search.startAt(note.begun)
      else if ('found' in note) this.#pursuit.record(note.found)
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

  /** Ends the practice if all sub-goals are found and already hold, or if a proof of them succeeds. */
  async #consider({ screen, place }: SearchScreen, taken: Move['path']): Promise<PracticeEnding | undefined> {
    const path = this.#search.findPath(place.id) ?? taken
    const stops = this.#search.listStops(place.id)
    const context = { screen, trail: path.map(({ label }) => label), titles: stops.map(({ title }) => title) }
    const { policy } = this.#practice
    const { findings, closed } = this.#pursuit.consider(context, { place: place.id, path, stops, policy })
    if (findings.length + closed.length > 0)
      await this.#saveNotes(
        findings.map((found) => ({ found })),
        closed,
      )
    for (;;) {
      const tasks = this.#pursuit.findProof()
      if (tasks === undefined) return undefined
      if (tasks.every(({ plan }) => plan === undefined)) {
        return { outcome: 'already_so', summary: `The goal is already reached: ${describeTasks(tasks)}`.slice(0, 500) }
      }
      const result = await this.#proof.attempt(tasks)
      this.#search.setPosition(undefined)
      if (result.proven) return this.#propose(tasks)
      await this.#saveNotes([], this.#proof.closed)
      const failed =
        result.failed?.plan === undefined ? tasks.filter(({ plan }) => plan !== undefined) : [result.failed]
      for (const task of failed) this.#pursuit.recordFailure(task)
    }
  }

  /** Drafts a proposal from the proof, unless the build policy is `ask_before_build`. */
  async #propose(tasks: readonly ProofTask[]): Promise<PracticeEnding> {
    const { learn_session_id: id, owner_user_id } = this.#practice
    const summary = `Proven by a screen reading: ${describeTasks(tasks)}`.slice(0, 500)
    const { evidence, lessons } = this.#deps
    const draft = (compile: Compile) =>
      writePractice(this.#deps, this.#practice, (ctx) => {
        const session = findLearnSession(ctx.tx, id)
        if (session?.state !== 'stopped' || session.build_policy === 'ask_before_build') return null
        const made = generateProposal(asAgent(ctx, owner_user_id), id, compile)
        return made.failed ? null : made.proposal_id
      })
    try {
      const proposal_id = await lessons.draft(evidence.openSession(id, owner_user_id), draft)
      return { outcome: 'proven', summary, ...(proposal_id === null ? {} : { proposal_id }) }
    } catch (error) {
      // The proof is done and kept. Its draft can be asked for again.
      if (!(error instanceof Failure) || !LEARNING_FAILURES.has(error.code)) throw error
      return { outcome: 'proven', summary: `${summary} It was not drafted: ${error.message}`.slice(0, 500) }
    }
  }

  /** Says what the policy closed on the way, and what of the goal was found nowhere. */
  #explain(ending: PracticeEnding): PracticeEnding {
    const { practice_id } = this.#practice
    const closed = this.#deps.store.read((reader) => findPractice(reader, practice_id)?.closed_ways ?? [])
    const unknown = this.#resumed ? [] : this.#pursuit.listUnknownWords()
    const unseen = this.#pursuit.listUnseen()
    return {
      ...ending,
      summary: [ending.summary, ...explainSearch({ closed, unknown, unseen })].join(' ').slice(0, 500),
    }
  }

  #endSearch(): PracticeEnding {
    return this.#search.findNextMove(Number.MAX_SAFE_INTEGER) === undefined ? ENDINGS.not_found : ENDINGS.actions
  }

  async #save(seen: SearchScreen | undefined, note: SearchNote): Promise<void> {
    await this.#saveNotes([note], seen?.closed ?? [])
  }

  async #saveNotes(notes: readonly SearchNote[], closed: readonly ClosedWay[]): Promise<void> {
    const { practice_id } = this.#practice
    const isOpen = await writePractice(this.#deps, this.#practice, (ctx) => {
      const known = findPractice(ctx.tx, practice_id)
      const practice = recordPracticeProgress(ctx, practice_id, {
        screens_seen: this.#search.placeCount,
        ways_tried: this.#search.tryCount,
        closed_ways: mergeClosedWays([...(known?.closed_ways ?? []), ...closed]),
        notes,
      })
      return practice !== undefined
    })
    if (!isOpen) throw new PracticeStopped('moved_on')
  }
}

const describeTasks = (tasks: readonly ProofTask[]): string =>
  tasks.map(({ sub_goal }) => describeSubGoal(sub_goal)).join(' ')
