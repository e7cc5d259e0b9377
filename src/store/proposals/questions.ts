import type { LearningAnswer, LearningQuestion } from '@apprentice/contracts/learn/proposal.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { bindable, insertInto, type Row } from '../db/row.ts'

interface Span {
  readonly after: number
  readonly limit: number
}

const questionColumns = [
  'question_id',
  'proposal_id',
  'field',
  'prompt',
  'required',
  'created_at',
] as const
const answerColumns = ['question_id', 'proposal_id', 'answer', 'created_at'] as const

export function appendQuestion(tx: Tx, { schema_version: _, ...fields }: LearningQuestion): void {
  sql(tx, insertInto('questions', questionColumns)).run(bindable(fields))
}

/** In the order they were asked. */
export function listQuestions(reader: Reader, proposalId: string): LearningQuestion[] {
  return sql(reader, 'SELECT * FROM questions WHERE proposal_id = ? ORDER BY position')
    .all(proposalId)
    .map((row) => toQuestion(row as Row))
}

export function listQuestionsSince(
  reader: Reader,
  { after, limit }: Span,
): { position: number; entry: LearningQuestion }[] {
  return sql(reader, 'SELECT * FROM questions WHERE position > ? ORDER BY position LIMIT ?')
    .all(after, limit)
    .map((row) => ({
      position: Number((row as Row)['position']),
      entry: toQuestion(row as Row),
    }))
}

/** An answer given again stands beside the earlier one; the last one counts. */
export function appendAnswer(tx: Tx, { schema_version: _, ...fields }: LearningAnswer): void {
  sql(tx, insertInto('answers', answerColumns)).run(fields)
}

/** Every answer ever given, oldest first. */
export function listAnswers(reader: Reader, proposalId: string): LearningAnswer[] {
  return sql(reader, 'SELECT * FROM answers WHERE proposal_id = ? ORDER BY position')
    .all(proposalId)
    .map((row) => toAnswer(row as Row))
}

export function listAnswersSince(
  reader: Reader,
  { after, limit }: Span,
): { position: number; entry: LearningAnswer }[] {
  return sql(reader, 'SELECT * FROM answers WHERE position > ? ORDER BY position LIMIT ?')
    .all(after, limit)
    .map((row) => ({ position: Number((row as Row)['position']), entry: toAnswer(row as Row) }))
}

function toQuestion({ position: _, ...fields }: Row): LearningQuestion {
  return {
    ...fields,
    required: fields['required'] === 1,
    schema_version: 1,
  } as unknown as LearningQuestion
}

function toAnswer({ position: _, ...fields }: Row): LearningAnswer {
  return { ...fields, schema_version: 1 } as unknown as LearningAnswer
}
