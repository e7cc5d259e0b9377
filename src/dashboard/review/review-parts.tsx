import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { getDraftFile, type ProposalDetail } from '@apprentice/contracts/learn/proposal-review.ts'
import type { RecipeInput } from '@apprentice/contracts/recipes/recipe.ts'
import { attempt } from '../app/notices.tsx'
import { call } from '../api/client.ts'
import { StateBadge } from '../parts/basic.tsx'
import { DiffView } from '../parts/diff-view.tsx'
import { Markdown } from '../parts/markdown.tsx'
import { formatName, t } from '../text/text.ts'

interface DetailProps {
  readonly detail: ProposalDetail
}

/** The content of a draft and its test results. */
export function ReviewParts({ detail }: DetailProps) {
  const { proposal, interpretation, questions, collisions, improves, dependencies, portability_grade } = detail
  const changes = improves?.changes ?? []
  return (
    <>
      {interpretation !== undefined && <p class="summary">{interpretation.goal_summary}</p>}
      <Part title={t.review.inputs} items={readInputs(detail).map((input) => describeInput(input, detail))} />
      <Part title={t.review.steps} items={listSteps(detail)} ordered />
      <Part title={t.review.doneWhen} items={interpretation?.success_conditions ?? []} />
      <Tests detail={detail} />
      <Part
        title={t.review.usedWhen}
        items={[...proposal.trigger_phrases, ...(interpretation?.use_conditions ?? [])]}
      />
      <Part
        title={t.review.notUsedWhen}
        items={[...proposal.negative_triggers, ...(interpretation?.non_use_conditions ?? [])]}
      />
      <Part
        title={t.review.questions}
        items={questions.map(({ question_text, answer_text }) => `${question_text} ${answer_text ?? ''}`)}
      />
      <Part title={t.review.leftOut} items={listPruned(detail)} />
      <Part title={t.review.similar} items={collisions.map(({ title, detail: why }) => `${title}: ${why}`)} />
      <Part title={t.review.dependencies} items={dependencies.map((one) => JSON.stringify(one))} />
      {portability_grade !== undefined && <Part title={t.review.portability} items={[formatName(portability_grade)]} />}
      <Part
        title={t.review.changes}
        items={changes.filter(({ change }) => change !== 'kept').map(({ text }) => text)}
      />
      <Part title={t.review.stays} items={changes.filter(({ change }) => change === 'kept').map(({ text }) => text)} />
      {(improves?.diffs ?? []).map(({ name, diff }) => (
        <Fold key={name} title={t.review.changesIn(name)}>
          <DiffView diff={diff} />
        </Fold>
      ))}
      {detail.files.map(({ name, sha256 }) => (
        <DraftFile key={sha256} proposalId={proposal.proposal_id} name={name} />
      ))}
    </>
  )
}

interface PartProps {
  readonly title: string
  readonly items: readonly string[]
  readonly ordered?: boolean
}

function Part({ title, items, ordered = false }: PartProps) {
  if (items.length === 0) return null
  const rows = items.map((item, at) => <li key={at}>{item}</li>)
  return (
    <section class="part">
      <h4>{title}</h4>
      {ordered ? <ol>{rows}</ol> : <ul>{rows}</ul>}
    </section>
  )
}

const readInputs = ({ recipe }: ProposalDetail): readonly RecipeInput[] => (recipe?.['inputs'] ?? []) as RecipeInput[]

function describeInput({ name, type, summary, choices }: RecipeInput, { examples }: ProposalDetail): string {
  const example = examples[name] === undefined ? '' : t.review.example(examples[name])
  const options = choices === undefined ? '' : `: ${choices.join(', ')}`
  return `${formatName(name)} (${formatName(type)}${options})${example}${summary === undefined ? '' : ` – ${summary}`}`
}

function listSteps({ interpretation, review }: ProposalDetail): readonly string[] {
  const steps = (review?.['steps'] ?? []) as readonly { readonly description?: string }[]
  const described = steps.flatMap(({ description }) => (description === undefined ? [] : [description]))
  return described.length > 0 ? described : (interpretation?.checkpoints ?? []).map(({ goal }) => goal)
}

function listPruned({ review }: ProposalDetail): readonly string[] {
  const pruned = (review?.['pruned'] ?? []) as readonly { readonly reason: string; readonly summary: string }[]
  return pruned.map(({ reason, summary }) => `${summary} (${formatName(reason)})`)
}

function Tests({ detail: { latest_validation } }: DetailProps) {
  if (latest_validation === undefined) return null
  const { validation_run, steps } = latest_validation
  const result = validation_run.completed_at === undefined ? 'testing' : validation_run.overall_result
  const passed = steps.filter((step) => step.result === 'passed').length
  const others = steps.filter((step) => step.result !== 'passed')
  return (
    <section class="part tests">
      <h4>
        {t.review.tests} <StateBadge state={result} />
      </h4>
      <p>{t.review.testsPassed(passed, steps.length)}</p>
      <ul>
        {others.map(({ test_case_id, label, details, result: outcome }) => (
          <li key={test_case_id}>
            {formatName(outcome)}: {label}
            {details !== undefined && ` (${details})`}
          </li>
        ))}
      </ul>
    </section>
  )
}

interface FileProps {
  readonly proposalId: string
  readonly name: string
}

/** A file of the draft, read when it is opened. Markdown is rendered. */
function DraftFile({ proposalId, name }: FileProps) {
  const content = useSignal<string | undefined>(undefined)
  const load = async (): Promise<void> => {
    content.value = (await call(getDraftFile, { params: { proposalId, name } })).content
  }
  return (
    <Fold title={name} onOpen={() => content.value === undefined && void attempt(load)}>
      {content.value !== undefined &&
        (name.endsWith('.md') ? <Words source={content.value} /> : <pre>{content.value}</pre>)}
    </Fold>
  )
}

/** A document, rendered or as its source. */
function Words({ source }: { readonly source: string }) {
  const isSource = useSignal(false)
  return (
    <>
      <button
        type="button"
        class="quiet"
        aria-pressed={isSource.value}
        onClick={() => (isSource.value = !isSource.value)}
      >
        {t.review.source}
      </button>
      {isSource.value ? <pre>{source}</pre> : <Markdown source={source} />}
    </>
  )
}

interface FoldProps {
  readonly title: string
  readonly onOpen?: () => void
  readonly children: ComponentChildren
}

const Fold = ({ title, onOpen, children }: FoldProps) => (
  <details onToggle={({ currentTarget }) => currentTarget.open && onOpen?.()}>
    <summary>{title}</summary>
    {children}
  </details>
)
