import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso'
import type { z } from 'zod'
import { type AskedQuestion, NOTHING_SHOWS_IT, type QuestionChoice } from '@apprentice/contracts/learn/proposal.ts'
import type { LearnSessionDetail } from '@apprentice/contracts/learn/runtime.ts'
import { answerQuestions, generateProposal } from '@apprentice/contracts/learn/sessions.ts'
import { attempt } from '../app/notices.tsx'
import { call } from '../api/client.ts'
import { Field } from '../parts/basic.tsx'
import { ScreenPicture } from '../phone/screen-picture.tsx'
import { say } from '../text/say.ts'
import { t } from '../text/text.ts'
import { reloadSession } from './current-session.ts'

interface Answer {
  readonly text?: string
  readonly choice?: string
}
type Answers = Readonly<Record<string, Answer>>

/** The open questions of a draft. The last answer leads to the review. */
export function Questions({ detail }: { readonly detail: LearnSessionDetail }) {
  const answers = useSignal<Answers>({})
  const { route } = useLocation()
  const open = detail.allowed_actions.includes('answer_questions')
    ? detail.questions.filter(({ answered }) => !answered)
    : []
  if (open.length === 0) return null
  const params = { sessionId: detail.session.learn_session_id }
  const submit = async (): Promise<void> => {
    const reply = await call(answerQuestions, { params, body: { answers: toBody(open, answers.value) } })
    let { session } = reply
    if (reply.next_action === 'generate_proposal' && session.state === 'reviewing') {
      session = (await call(generateProposal, { params, body: {} })).session
    }
    await reloadSession()
    const { proposal_id, state } = session
    if (state !== 'awaiting_questions' && proposal_id !== undefined) route(`/learn/pending/${proposal_id}`)
  }
  return (
    <form
      class="panel questions"
      onSubmit={(event) => {
        event.preventDefault()
        void attempt(submit, reloadSession)
      }}
    >
      <h3>{t.questions.title}</h3>
      <p class="hint">{t.teach.questions.intro}</p>
      {open.map((question) => (
        <Question
          key={question.question_id}
          question={question}
          answer={answers.value[question.question_id] ?? {}}
          onAnswer={(answer) => (answers.value = { ...answers.value, [question.question_id]: answer })}
        />
      ))}
      <div class="buttons end">
        <button class="primary">{t.teach.questions.submit}</button>
      </div>
    </form>
  )
}

type AnswerBody = z.input<typeof answerQuestions.body>['answers'][number]

function toBody(open: readonly AskedQuestion[], answers: Answers): AnswerBody[] {
  return open.flatMap(({ question_id }): AnswerBody[] => {
    const { text = '', choice } = answers[question_id] ?? {}
    if (choice !== undefined && choice !== OWN_WORDS) return [{ question_id, choice_id: choice }]
    return text.trim() === '' ? [] : [{ question_id, answer_text: text }]
  })
}

interface QuestionProps {
  readonly question: AskedQuestion
  readonly answer: Answer
  readonly onAnswer: (answer: Answer) => void
}

function Question({ question, answer, onAnswer }: QuestionProps) {
  const { question_text, required, choices = [] } = question
  if (choices.length > 0) return <ChoiceQuestion question={question} answer={answer} onAnswer={onAnswer} />
  return (
    <Field label={say(question_text)}>
      <input
        required={required}
        maxLength={2000}
        value={answer.text ?? ''}
        onInput={({ currentTarget }) => onAnswer({ text: currentTarget.value })}
      />
    </Field>
  )
}

/** Stands for an answer in the person's own words; it is not sent. */
const OWN_WORDS = 'own_words'

/** Ready answers beside the screen they are about. The chosen element is framed. */
function ChoiceQuestion({ question, answer, onAnswer }: QuestionProps) {
  const { question_text, required, choices = [], question_id } = question
  const listed = choices.some(({ choice_id }) => choice_id === NOTHING_SHOWS_IT)
  const offered: readonly QuestionChoice[] = [
    ...choices,
    ...(listed ? [] : [{ choice_id: NOTHING_SHOWS_IT, label: t.questions.nothingShowsIt }]),
    { choice_id: OWN_WORDS, label: t.teach.questions.own },
  ]
  const shown = choices.find(({ choice_id }) => choice_id === answer.choice) ?? choices[0]
  const evidenceId = /^evidence:(.+)$/.exec(shown?.evidence_ref ?? '')?.[1]
  return (
    <fieldset class="choices with-picture">
      <legend>{say(question_text)}</legend>
      {evidenceId !== undefined && (
        <ScreenPicture evidenceId={evidenceId} frame={shown?.bounds} label={t.teach.questions.picture} />
      )}
      <div>
        {offered.map(({ choice_id, label }) => (
          <label key={choice_id} class="check">
            <input
              type="radio"
              name={question_id}
              required={required}
              checked={answer.choice === choice_id}
              onChange={() => onAnswer({ choice: choice_id })}
            />{' '}
            {say(label)}
          </label>
        ))}
        {answer.choice === OWN_WORDS && (
          <input
            required={required}
            maxLength={2000}
            aria-label={t.teach.questions.ownWords}
            value={answer.text ?? ''}
            onInput={({ currentTarget }) => onAnswer({ choice: OWN_WORDS, text: currentTarget.value })}
          />
        )}
      </div>
    </fieldset>
  )
}
