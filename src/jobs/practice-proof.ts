import type { AdapterRules } from '../domain/capture/adapters.ts'
import type { Affordance } from '../knowledge/goal-search/affordances.ts'
import { actionOf, followWay, saidOf, startApp } from '../knowledge/goal-search/planned-edits.ts'
import type { Goal } from '../knowledge/goal-search/goal.ts'
import { keeperOn } from '../knowledge/goal-search/judgement.ts'
import {
  beginProof,
  dropProof,
  keepProof,
  lastObserved,
  restFromProof,
} from '../domain/practice/practice-record.ts'
import type { SeenScreen } from '../knowledge/goal-search/seen-screen.ts'
import { type PlannedEdit, standingOf } from '../knowledge/goal-search/goal-status.ts'
import { nextStep, type Stepping } from '../knowledge/goal-search/stepping.ts'
import type { PracticeRow } from '../store/practice/practices.ts'
import { type PracticeDevice, PracticeOver, writeAs } from './practice-device.ts'
import type { RunnerDeps } from './runner.ts'

const maxKeepers = 3
const maxSteps = 60

/**
 * Does a way and what is to be done at its end once, from the start and observed, and then looks, with the app
 * started anew, whether it holds. Only then it is kept.
 */
export class PracticeProof {
  readonly #edges: RunnerDeps
  readonly #device: PracticeDevice
  readonly #practice: PracticeRow
  readonly #goal: Goal
  readonly #rules: AdapterRules

  constructor(
    edges: RunnerDeps,
    device: PracticeDevice,
    parts: { readonly practice: PracticeRow; readonly goal: Goal; readonly rules: AdapterRules },
  ) {
    this.#edges = edges
    this.#device = device
    this.#practice = parts.practice
    this.#goal = parts.goal
    this.#rules = parts.rules
  }

  /** True when it is proven and kept. */
  async attempt(path: readonly Affordance[], plan: readonly PlannedEdit[]): Promise<boolean> {
    const { practice_id, learn_session_id } = this.#practice
    await this.#device.stopAll()
    const after = this.#edges.store.read((reader) => lastObserved(reader, learn_session_id) ?? null)
    await this.#must((ctx) => beginProof(ctx, practice_id, this.#rules))
    const done = await this.#perform(path, plan)
    await this.#must((ctx) => restFromProof(ctx, practice_id))
    if (done === undefined || !(await this.#holdsAnew(path))) {
      await this.#must((ctx) => dropProof(ctx, practice_id))
      return false
    }
    const kept = { after: after ?? undefined, path: done }
    return this.#write((ctx) => keepProof(ctx, practice_id, kept) !== undefined)
  }

  /** What was done, in words; undefined when it did not come to its end. */
  async #perform(
    path: readonly Affordance[],
    plan: readonly PlannedEdit[],
  ): Promise<string[] | undefined> {
    const { application_id } = this.#practice
    if (!(await this.#device.act(startApp(application_id)))) return undefined
    const said = [`Open ${application_id}`]
    await this.#device.look()
    for (const way of path) {
      if (!(await this.#device.act(followWay(way)))) return undefined
      await this.#device.look()
      said.push(saidOf(way))
    }
    for (const deed of plan) {
      if (!(await this.#do(deed))) return undefined
      said.push(saidOf(deed))
    }
    if (plan.length > 0) said.push(...(await this.#keepChange()))
    return said
  }

  async #do(deed: PlannedEdit): Promise<boolean> {
    if (deed.kind === 'step') return this.#step(deed)
    const done = await this.#device.act(actionOf(deed))
    await this.#device.look()
    return done
  }

  async #step(deed: Stepping): Promise<boolean> {
    let before: number | undefined
    for (let count = 0; count < maxSteps; count += 1) {
      const { screen } = await this.#device.look()
      const next = nextStep(deed, screen, before)
      if (next === 'there') return true
      if (next === 'lost' || !(await this.#device.act(next.touch))) return false
      before = next.read
    }
    return false
  }

  /** Touches what keeps a change, and what asks back about it. */
  async #keepChange(): Promise<string[]> {
    const said: string[] = []
    for (let count = 0; count < maxKeepers; count += 1) {
      const { screen } = await this.#device.look()
      if (count > 0 && !screen.is_dialog) break
      const keeper = keeperOn(screen, this.#practice.policy)
      if (keeper === undefined || !(await this.#device.act(followWay(keeper)))) break
      said.push(saidOf(keeper))
    }
    return said
  }

  /** An open screen is its own proof. Everything else has to be there when the app comes back. */
  async #holdsAnew(path: readonly Affordance[]): Promise<boolean> {
    if (this.#goal.kind === 'open') return this.#holds(await this.#device.look(), path)
    if (!(await this.#device.startAnew())) return false
    let seen = await this.#device.look()
    for (const [at, way] of path.entries()) {
      if (this.#holds(seen, path.slice(0, at))) return true
      if (!(await this.#device.act(followWay(way)))) return false
      seen = await this.#device.look()
    }
    return this.#holds(seen, path)
  }

  #holds({ screen }: SeenScreen, path: readonly Affordance[]): boolean {
    const trail = path.map(({ label }) => label)
    return standingOf(this.#goal, { screen, trail }).state === 'holds'
  }

  async #must(work: Parameters<typeof writeAs<boolean>>[2]): Promise<void> {
    if (!(await this.#write(work))) throw new PracticeOver('moved_on')
  }

  #write(work: Parameters<typeof writeAs<boolean>>[2]): Promise<boolean> {
    return writeAs(this.#edges, this.#practice.practice_id, work)
  }
}
