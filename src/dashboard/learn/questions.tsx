import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso'
import type { z } from 'zod'
import { type AskedQuestion, NOTHING_SHOWS_IT } from '@apprentice/contracts/learn/proposal.ts'
import type { LearnSessionDetail } from '@apprentice/contracts/learn/runtime.ts'
import { answerQuestions } from '@apprentice/contracts/learn/sessions.ts'
import { attempt } from '../app/notices.tsx'
import { call } from '../api/client.ts'
import { Field } from '../parts/basic.tsx'
import { t } from '../text/text.ts'
import { reloadSession } from './current-session.ts'

type Answers = Readonly<Record<string, { readonly text?: string; readonly choice?: string }>>

/** The open questions of a draft, with elements to choose from where the daemon knows some. */
export function Questions({ detail }: { readonly detail: LearnSessionDetail }) {
  const answers = useSignal<Answers>({})
  const { route } = useLocation()
  const open = detail.allowed_actions.includes('answer_questions')
    ? detail.questions.filter(({ answered }) => !answered)
    : []
  if (open.length === 0) return null
  const submit = async (): Promise<void> => {
    const params = { sessionId: detail.session.learn_session_id }
    const reply = await call(answerQuestions, { params, body: { answers: toBody(open, answers.value) } })
    await reloadSession()
    const { proposal_id } = reply.session
    if (reply.next_action === 'ready_for_review' && proposal_id !== undefined) route(`/learn/pending/${proposal_id}`)
  }
  return (
    <form
      class="panel questions"
      onSubmit={(event) => {
        event.preventDefault()
        void attempt(submit)
      }}
    >
      <h3>{t.questions.title}</h3>
      {open.map((question) => (
        <Question
          key={question.question_id}
          question={question}
          answer={answers.value[question.question_id] ?? {}}
          onAnswer={(answer) => (answers.value = { ...answers.value, [question.question_id]: answer })}
        />
      ))}
      <button class="primary">{t.questions.answer}</button>
    </form>
  )
}

type AnswerBody = z.input<typeof answerQuestions.body>['answers'][number]

function toBody(open: readonly AskedQuestion[], answers: Answers): AnswerBody[] {
  return open.flatMap(({ question_id }): AnswerBody[] => {
    const { text = '', choice } = answers[question_id] ?? {}
    if (choice !== undefined) return [{ question_id, choice_id: choice }]
    return text.trim() === '' ? [] : [{ question_id, answer_text: text }]
  })
}

interface QuestionProps {
  readonly question: AskedQuestion
  readonly answer: Answers[string]
  readonly onAnswer: (answer: Answers[string]) => void
}

function Question({ question, answer, onAnswer }: QuestionProps) {
  const { question_text, required, choices = [], question_id } = question
  if (choices.length === 0) {
    return (
      <Field label={question_text}>
        <input
          required={required}
          maxLength={2000}
          value={answer?.text ?? ''}
          onInput={({ currentTarget }) => onAnswer({ text: currentTarget.value })}
        />
      </Field>
    )
  }
  const listed = choices.some(({ choice_id }) => choice_id === NOTHING_SHOWS_IT)
  const offered = listed ? choices : [...choices, { choice_id: NOTHING_SHOWS_IT, label: t.questions.nothingShowsIt }]
  return (
    <fieldset class="choices">
      <legend>{question_text}</legend>
      {offered.map(({ choice_id, label }) => (
        <label key={choice_id} class="check">
          <input
            type="radio"
            name={question_id}
            required={required}
            checked={answer?.choice === choice_id}
            onChange={() => onAnswer({ choice: choice_id })}
          />{' '}
          {label}
        </label>
      ))}
    </fieldset>
  )
}
