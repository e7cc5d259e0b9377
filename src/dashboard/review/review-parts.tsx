import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { getDraftFile, type ProposalDetail, reviseProposal } from '@apprentice/contracts/learn/proposal-review.ts'
import type { RecipeInput } from '@apprentice/contracts/recipes/recipe.ts'
import { attempt } from '../app/notices.tsx'
import { call } from '../api/client.ts'
import { StateBadge } from '../parts/basic.tsx'
import { DiffView } from '../parts/diff-view.tsx'
import { formatQuoted } from '../parts/format.ts'
import { Markdown } from '../parts/markdown.tsx'
import { say } from '../text/say.ts'
import { sayReason } from './say-reason.ts'
import { formatName, t } from '../text/text.ts'
import { DraftHistory } from './draft-history.tsx'
import { Rehearse } from './rehearse.tsx'
import { listInputs } from './review-inputs.ts'
import { ReviewSteps } from './review-steps.tsx'

interface DetailProps {
  readonly detail: ProposalDetail
}

interface PartsProps extends DetailProps {
  readonly reload: () => Promise<void>
}

/** The content of a draft and its test results, in the order a reviewer reads them. */
export function ReviewParts({ detail, reload }: PartsProps) {
  const { proposal, interpretation, questions } = detail
  return (
    <>
      {interpretation !== undefined && interpretation.goal_summary !== proposal.title && (
        <p class="summary">{interpretation.goal_summary}</p>
      )}
      <Part title={t.review.inputs} items={listInputs(detail).map((input) => describeInput(input, detail))} />
      <ReviewSteps detail={detail} />
      <Part title={t.teach.review.proof} items={(interpretation?.success_conditions ?? []).map(say)} />
      <Tests detail={detail} />
      <Rehearse detail={detail} reload={reload} />
      <DraftFiles detail={detail} />
      <Improvement detail={detail} />
      <Part
        title={t.review.usedWhen}
        items={[...proposal.trigger_phrases, ...(interpretation?.use_conditions ?? []).map(say)]}
      />
      <Part
        title={t.review.notUsedWhen}
        items={[...proposal.negative_triggers, ...(interpretation?.non_use_conditions ?? [])]}
      />
      <Part
        title={t.review.questions}
        items={questions.map(({ question_text, answer_text }) => `${say(question_text)} ${say(answer_text ?? '')}`)}
      />
      <LeftOut detail={detail} reload={reload} />
      <Surroundings detail={detail} />
      <DraftHistory detail={detail} />
    </>
  )
}

/** SKILL.md is open; other files are read when they are opened. */
function DraftFiles({ detail: { files, proposal } }: DetailProps) {
  const listed = (isMain: boolean) =>
    files
      .filter(({ name }) => (name === 'SKILL.md') === isMain)
      .map(({ name, sha256 }) => (
        <DraftFile key={sha256} proposalId={proposal.proposal_id} name={name} isOpen={isMain} />
      ))
  return (
    <section class="part">
      <h4>{t.teach.review.words}</h4>
      {listed(true)}
      <Fold title={t.teach.review.files}>{listed(false)}</Fold>
    </section>
  )
}

/** What a draft changes in the installed version. */
function Improvement({ detail: { improves } }: DetailProps) {
  if (improves === undefined) return null
  const { changes, diffs, version } = improves
  return (
    <>
      <Part
        title={t.review.changes}
        items={changes.filter(({ change }) => change !== 'kept').map(({ text }) => say(text))}
      />
      <Part
        title={t.review.stays}
        items={changes.filter(({ change }) => change === 'kept').map(({ text }) => say(text))}
      />
      {diffs.map(({ name, diff }) => (
        <Fold key={name} title={t.review.changesIn(name)}>
          {version !== undefined && <p class="hint">{t.teach.review.lastVersion(version)}</p>}
          <DiffView diff={diff} />
        </Fold>
      ))}
    </>
  )
}

/** Actions that the draft leaves out. Keeping one makes a new revision. */
function LeftOut({ detail, reload }: PartsProps) {
  const pruned = listPruned(detail)
  if (pruned.length === 0) return null
  const keep = (eventIds: readonly string[]): void => {
    const body = {
      revision_instructions: t.teach.review.keepStep,
      edited_fields: { keep_event_ids: [...eventIds] },
    }
    void attempt(() => call(reviseProposal, { params: { proposalId: detail.proposal.proposal_id }, body }), reload)
  }
  return (
    <section class="part">
      <h4>{t.review.leftOut}</h4>
      <ul>
        {pruned.map(({ summary, reason, event_ids }, at) => (
          <li key={at}>
            {say(summary)} ({formatName(reason)}){' '}
            {detail.allowed_actions.includes('revise') && (
              <button type="button" class="link" onClick={() => keep(event_ids)}>
                {t.teach.review.keepStep}
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

/** What the draft needs and touches outside itself, and how it will be installed. */
function Surroundings({ detail }: DetailProps) {
  const { proposal, interpretation, collisions, dependencies, portability_grade, checkpoint_lint_report } = detail
  return (
    <>
      <Part title={t.teach.review.surfaces} items={interpretation?.preferred_control_surfaces.map(formatName) ?? []} />
      <Part title={t.teach.review.packs} items={proposal.support_pack_refs} />
      <Part
        title={t.review.dependencies}
        items={dependencies.map(
          ({ dependency_kind, dependency_ref }) => `${formatName(dependency_kind)}: ${dependency_ref}`,
        )}
      />
      <Part title={t.review.similar} items={collisions.map(({ title, detail: why }) => `${say(title)}: ${say(why)}`)} />
      <Part
        title={t.teach.review.findings}
        items={(checkpoint_lint_report?.findings ?? []).map(
          ({ message, excerpt }) => `${say(message)} ${formatQuoted(excerpt)}`,
        )}
      />
      {portability_grade !== undefined && <Part title={t.review.portability} items={[formatName(portability_grade)]} />}
      <Part title={t.teach.review.lane} items={[t.teach.review.lanes[proposal.install_lane]]} />
      <Part title={t.teach.review.health} items={[t.teach.review.healthText]} />
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

function describeInput({ name, type, summary, choices }: RecipeInput, { examples }: ProposalDetail): string {
  const example = examples[name] === undefined ? '' : t.review.example(examples[name])
  const options = choices === undefined ? '' : `: ${choices.join(', ')}`
  return `${formatName(name)} (${formatName(type)}${options})${example}${summary === undefined ? '' : ` – ${say(summary)}`}`
}

interface Pruned {
  readonly reason: string
  readonly summary: string
  readonly event_ids: readonly string[]
}

const listPruned = ({ review }: ProposalDetail): readonly Pruned[] => (review?.['pruned'] ?? []) as readonly Pruned[]

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
      {validation_run.reason !== undefined && <p class="error">{sayReason(validation_run.reason)}</p>}
      <ul>
        {others.map(({ test_case_id, label, details, result: outcome }) => (
          <li key={test_case_id}>
            {formatName(outcome)}: {say(label)}
            {details !== undefined && ` (${say(details)})`}
          </li>
        ))}
      </ul>
    </section>
  )
}

interface FileProps {
  readonly proposalId: string
  readonly name: string
  readonly isOpen: boolean
}

/** A file of the draft, read when it is opened. Markdown is rendered. */
function DraftFile({ proposalId, name, isOpen }: FileProps) {
  const content = useSignal<string | undefined>(undefined)
  const load = async (): Promise<void> => {
    content.value = (await call(getDraftFile, { params: { proposalId, name } })).content
  }
  return (
    <Fold title={name} isOpen={isOpen} onOpen={() => content.value === undefined && void attempt(load)}>
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
      {isSource.value ? <pre>{source}</pre> : <Markdown source={source} under={4} />}
    </>
  )
}

interface FoldProps {
  readonly title: string
  readonly isOpen?: boolean
  readonly onOpen?: () => void
  readonly children: ComponentChildren
}

const Fold = ({ title, isOpen = false, onOpen, children }: FoldProps) => (
  <details open={isOpen} onToggle={({ currentTarget }) => currentTarget.open && onOpen?.()}>
    <summary>{title}</summary>
    {children}
  </details>
)
