import type { LearningAnswer, LearningQuestion, QuestionChoice } from '@apprentice/contracts/learn/proposal.ts'
import { columns, flag, integer, list, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { listSince, type Positioned, type Span } from '../db/queries.ts'
import { defineTable } from '../db/table.ts'

export const questions = defineTable(
  'questions',
  {
    position: integer().notInserted(),
    question_id: text(),
    proposal_id: text(),
    field: text<LearningQuestion['field']>(),
    prompt: text(),
    required: flag(),
    created_at: text(),
    choices: list<QuestionChoice>().optional(),
  },
  { key: ['position'], constants: { schema_version: 1 } },
)

/** Every answer. Only the last answer to a question counts. */
export const answers = defineTable(
  'answers',
  {
    position: integer().notInserted(),
    ...columns(text(), 'question_id', 'proposal_id', 'answer', 'created_at'),
    choice_id: text().optional(),
  },
  { key: ['position'], constants: { schema_version: 1 } },
)

const learningQuestion = questions.without('position')
const learningAnswer = answers.without('position')

export function appendQuestion(tx: Tx, question: LearningQuestion): void {
  questions.insert(tx, question)
}

/** In the order in which they were asked. */
export function listQuestions(reader: Reader, proposalId: string): LearningQuestion[] {
  return sql(reader, 'SELECT * FROM questions WHERE proposal_id = ? ORDER BY position')
    .all(proposalId)
    .map(learningQuestion.decode)
}

export function listQuestionsSince(reader: Reader, span: Span): Positioned<LearningQuestion>[] {
  return listSince(reader, questions.name, learningQuestion, span)
}

export function appendAnswer(tx: Tx, answer: LearningAnswer): void {
  answers.insert(tx, answer)
}

/** All answers, oldest first. */
export function listAnswers(reader: Reader, proposalId: string): LearningAnswer[] {
  return sql(reader, 'SELECT * FROM answers WHERE proposal_id = ? ORDER BY position')
    .all(proposalId)
    .map(learningAnswer.decode)
}

export function listAnswersSince(reader: Reader, span: Span): Positioned<LearningAnswer>[] {
  return listSince(reader, answers.name, learningAnswer, span)
}
