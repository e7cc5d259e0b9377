import { currentSession } from './current-session.js'
import { fill, make } from './element.js'
import { attempt } from './notices.js'

/** @typedef {import('@apprentice/contracts/learn/runtime.ts').LearnSessionDetail} LearnSessionDetail */

/** The open questions of a draft. The form is created again only when the questions change. */
export function createQuestions() {
  const node = make('form', { className: 'questions', hidden: true })
  let displayedKey = ''
  /** @type {{ question_id: string, input: HTMLInputElement }[]} */
  let fields = []
  node.addEventListener('submit', (event) => {
    event.preventDefault()
    const answers = fields
      .filter(({ input }) => input.value.trim() !== '')
      .map(({ question_id, input }) => ({ question_id, answer_text: input.value }))
    void attempt(() => currentSession.runAction('answer_questions', { answers }))
  })
  return {
    node,
    /** @param {LearnSessionDetail['questions']} questions */
    show: (questions) => {
      const open = questions.filter(({ answered }) => !answered)
      node.hidden = open.length === 0
      const key = open.map(({ question_id }) => question_id).join()
      if (key === displayedKey) return
      displayedKey = key
      fields = open.map(({ question_id, required }) => ({
        question_id,
        input: make('input', { maxLength: 2000, required }),
      }))
      const rows = open.map(({ question_text }, at) =>
        make('label', { className: 'field' }, make('span', {}, question_text), fields[at]?.input),
      )
      fill(node, make('h3', {}, 'Questions'), ...rows, make('button', {}, 'Answer'))
    },
  }
}
