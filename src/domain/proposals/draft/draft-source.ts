import type { QuestionField } from '@apprentice/contracts/learn/proposal.ts'
import type { ElementMark } from '@apprentice/contracts/learn/elements.ts'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import type { ElementRef } from '../../../knowledge/interpret/read/element-ref.ts'
import type { StoredSession } from '../../../store/sessions/learn-sessions.ts'
import type { ObservedTrace } from '../../../knowledge/steps/observed-step.ts'
import type { Coaching } from '../../capture/coaching.ts'
import type { Demonstration } from '../../capture/demonstration.ts'
import { nameApp } from '../../../knowledge/text/app-name.ts'
import { takeFirstSentence, toOneLine } from '../../../knowledge/text/plain-text.ts'
import type { ProposalEdits } from '../content/edits.ts'
import type { InstalledSkill } from '../content/installed-skill.ts'
import type { RunRepair } from '../content/run-repair.ts'

/** The answers of the user by question field. */
export type Answers = Readonly<Partial<Record<QuestionField, string>>>

/** The answers to the question what shows the outcome. */
export interface ShownOutcome {
  /** The chosen elements. */
  readonly elements: readonly ElementRef[]
  /** The last answer, if it is a text of the person. It may name words on a kept screen. */
  readonly words?: string | undefined
  /** The last answer is that nothing shows it. */
  readonly nothing: boolean
  /** How often it was asked. */
  readonly asked: number
}

/** The input of `compileDraft`. Equal sources give equal bytes. */
export interface DraftSource {
  readonly proposal_id: string
  readonly interpretation_id: string
  readonly graph_id: string
  readonly created_at: string
  readonly session: StoredSession
  readonly demonstration: Demonstration
  readonly answers: Answers
  /** What the person answered about the outcome. */
  readonly shown?: ShownOutcome | undefined
  /** The elements that the person pointed at. */
  readonly element_marks?: readonly ElementMark[] | undefined
  /** The title of the ability the session improves. */
  readonly target_title?: string | undefined
  /** Edits of a reviewer. */
  readonly edits?: ProposalEdits | undefined
  /** The demonstrations with the screens around each step; undefined if no device was observed. */
  readonly runs?: readonly ObservedTrace[] | undefined
  /** Events that must not be dropped as unnecessary. */
  readonly keep_event_ids?: readonly string[] | undefined
  /** The coaching notes of the session. */
  readonly coaching?: Partial<Coaching> | undefined
  /** The app build and the device of the demonstration, if known. */
  readonly app_build?: Recipe['app_build'] | undefined
  readonly tested_on?: Recipe['tested_on'] | undefined
  /** The recipe of the ability the session improves. */
  readonly target_recipe?: Recipe | undefined
  /** The installed version of the ability the session improves. */
  readonly installed?: InstalledSkill | undefined
  /** The repair that the session proposes. Nothing was demonstrated in it. */
  readonly repair?: RunRepair | undefined
}

const MAX_TITLE = 120

/** The answered name, or else the goal, the improved skill or a word for the app. Undefined if none is known. */
export function chooseTitle(
  source: Pick<DraftSource, 'session' | 'demonstration' | 'answers' | 'target_title'>,
): string | undefined {
  const app = findApp(source)
  const candidates = [
    source.answers.name,
    source.demonstration.goal === undefined ? undefined : takeFirstSentence(toOneLine(source.demonstration.goal, 400)),
    source.target_title,
    app === undefined ? undefined : `${nameApp(app)} workflow`,
  ]
  return candidates
    .map((candidate) => toOneLine(candidate ?? '', MAX_TITLE))
    .find((candidate) => /[\p{L}\p{N}]/u.test(candidate))
}

/** The target app of the session, or else the first app of the demonstration. */
export function findApp({
  session,
  demonstration,
}: Pick<DraftSource, 'session' | 'demonstration'>): string | undefined {
  const seen = demonstration.steps.find((step) => step.app_family !== undefined)?.app_family
  const app = toOneLine(session.target_app_family ?? seen ?? '', 80)
  return app === '' ? undefined : app
}

/** Splits an answer into statements at line breaks and semicolons. */
export const splitStatements = (answer: string | undefined, max: number): string[] =>
  (answer ?? '')
    .split(/[\n;]/u)
    .map((part) => toOneLine(part, max))
    .filter((part) => part !== '')
