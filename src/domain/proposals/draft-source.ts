import type { QuestionField } from '@apprentice/contracts/learn/proposal.ts'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import type { StoredSession } from '../../store/sessions/learn-sessions.ts'
import type { EvidencedRun } from '../../knowledge/interpret/read/evidence.ts'
import type { Coaching } from '../capture/coaching.ts'
import type { Demonstration } from '../capture/demonstration.ts'
import { firstSentence, oneLine } from '../../knowledge/text/plain-text.ts'
import type { ProposalEdits } from './edits.ts'

/** What the person answered, by what was asked. */
export type Answers = Readonly<Partial<Record<QuestionField, string>>>

/** Everything a draft is made of: the same source always gives the same bytes. */
export interface DraftSource {
  readonly proposal_id: string
  readonly interpretation_id: string
  readonly graph_id: string
  readonly created_at: string
  readonly session: StoredSession
  readonly shown: Demonstration
  readonly answers: Answers
  /** The title of the ability the session improves. */
  readonly target_title?: string | undefined
  /** What a reviewer changed by hand. */
  readonly edits?: ProposalEdits | undefined
  /** The demonstrations with the screens around each step; none where no device was watched. */
  readonly runs?: readonly EvidencedRun[] | undefined
  /** Actions that would be left out and are to stay. */
  readonly keep?: readonly string[] | undefined
  /** What the person said beside what was shown. */
  readonly coaching?: Partial<Coaching> | undefined
  /** The app and the device it was shown on, where that is known. */
  readonly app_build?: Recipe['app_build'] | undefined
  readonly tested_on?: Recipe['tested_on'] | undefined
  /** The recipe of the ability the session improves. */
  readonly target_recipe?: Recipe | undefined
}

const titleLimit = 120

/** The name given, else the goal, else the improved skill, else the app; undefined when nothing says. */
export function knownTitle(
  source: Pick<DraftSource, 'session' | 'shown' | 'answers' | 'target_title'>,
): string | undefined {
  const app = knownApp(source)
  const candidates = [
    source.answers.name,
    source.shown.goal === undefined ? undefined : firstSentence(oneLine(source.shown.goal, 400)),
    source.target_title,
    app === undefined ? undefined : `${app} workflow`,
  ]
  return candidates
    .map((candidate) => oneLine(candidate ?? '', titleLimit))
    .find((candidate) => /[\p{L}\p{N}]/u.test(candidate))
}

/** The app it all happened in: the one named, else the first one seen. */
export function knownApp({
  session,
  shown,
}: Pick<DraftSource, 'session' | 'shown'>): string | undefined {
  const seen = shown.steps.find((step) => step.app_family !== undefined)?.app_family
  const app = oneLine(session.target_app_family ?? seen ?? '', 80)
  return app === '' ? undefined : app
}

/** Separate statements of an answer: one per line or semicolon. */
export const statements = (answer: string | undefined, max: number): string[] =>
  (answer ?? '')
    .split(/[\n;]/u)
    .map((part) => oneLine(part, max))
    .filter((part) => part !== '')
