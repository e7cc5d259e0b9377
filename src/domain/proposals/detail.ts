import type { ProposalDetail } from '@apprentice/contracts/learn/proposal-review.ts'
import { PortabilityGrade } from '@apprentice/contracts/skills/import-record.ts'
import type { AbilityVersionRow } from '../../store/abilities/ability-versions.ts'
import type { Reader } from '../../store/db/db.ts'
import { type DraftFile, listDraftFiles } from '../../store/proposals/draft-files.ts'
import { listInstalledFiles } from '../../store/install/installed-files.ts'
import { findInterpretation } from '../../store/proposals/interpretations.ts'
import { listDependencies } from '../../store/proposals/proposal-dependencies.ts'
import { findExamples } from '../../store/proposals/proposal-examples.ts'
import { findLatestRevision } from '../../store/proposals/proposal-revisions.ts'
import { toPublicProposal, type StoredProposal } from '../../store/proposals/proposals.ts'
import { findLatestRun, toPublicRun } from '../../store/validation/validation-runs.ts'
import { listSteps, toPublicStep } from '../../store/validation/validation-steps.ts'
import { findCurrentVersion } from '../abilities/current-recipe.ts'
import { findLintReport } from './lint-proposal.ts'
import { splitDocument } from '../../knowledge/markdown/document.ts'
import { readFields } from '../../knowledge/markdown/fields.ts'
import { formatRecipe } from '../../knowledge/canonical-json/canonical-json.ts'
import { listQuestionsWithAnswers } from './draft/clarification.ts'
import { listProposalActions } from './allowed-actions.ts'
import { findCollisions, type FindSimilar } from './collisions.ts'
import { compareFiles, type Contents } from './content/diff.ts'
import { describeFile, readDraftJson } from './content/files.ts'
import { listImprovementChanges } from './improvement-changes.ts'
import { findProposalSession, getOwnProposal } from './moves.ts'
import { readDraftRepair } from './content/run-repair.ts'

/**
 * Everything a reviewer of a proposal needs. Archived proposals are included. Without `findSimilar` only slug
 * collisions are reported.
 */
export function buildProposalDetail(
  reader: Reader,
  proposalId: string,
  owner: string,
  findSimilar?: FindSimilar,
): ProposalDetail {
  const proposal = getOwnProposal(reader, proposalId, owner)
  const files = listDraftFiles(reader, proposalId)
  const { interpretation_id, draft_hash } = proposal
  const interpretation = interpretation_id === undefined ? undefined : findInterpretation(reader, interpretation_id)
  const checkpoint_lint_report = findLintReport(reader, proposalId)
  const repair = readDraftRepair(files)
  return {
    proposal: toPublicProposal(proposal),
    ...(interpretation === undefined ? {} : { interpretation }),
    ...(checkpoint_lint_report === undefined ? {} : { checkpoint_lint_report }),
    questions: listQuestionsWithAnswers(reader, proposalId),
    revision: findLatestRevision(reader, proposalId)?.revision ?? 0,
    ...(draft_hash === undefined ? {} : { draft_hash }),
    files: files.map(describeFile),
    ...readDraftParts(files),
    examples: { ...findExamples(reader, proposalId) },
    dependencies: listDependencies(reader, proposalId),
    ...readLatestValidation(reader, proposalId),
    collisions: findCollisions(reader, proposal, findSimilar),
    ...compareWithInstalled(reader, proposal, files),
    ...(repair === undefined ? {} : { repair }),
    allowed_actions: listProposalActions(reader, proposal),
    schema_version: 1,
  }
}

function readDraftParts(files: readonly DraftFile[]): Pick<ProposalDetail, 'review' | 'recipe' | 'portability_grade'> {
  const review = readDraftJson(files, 'review.json')
  const recipe = readDraftJson(files, 'recipe.json')
  const grade = readGrade(files)
  return {
    ...(review === undefined ? {} : { review }),
    ...(recipe === undefined ? {} : { recipe }),
    ...(grade === undefined ? {} : { portability_grade: grade }),
  }
}

/** The portability grade in the frontmatter of SKILL.md. */
function readGrade(files: readonly DraftFile[]): PortabilityGrade | undefined {
  const document = files.find(({ name }) => name === 'SKILL.md')?.content ?? ''
  const read = readFields(splitDocument(document).header ?? '')
  const grade = 'fields' in read ? read.fields['portability-grade'] : undefined
  return PortabilityGrade.safeParse(grade).data
}

function readLatestValidation(reader: Reader, proposalId: string): Pick<ProposalDetail, 'latest_validation'> {
  const run = findLatestRun(reader, proposalId)
  if (run === undefined) return {}
  const steps = listSteps(reader, [run.validation_run_id]).map(toPublicStep)
  return { latest_validation: { validation_run: toPublicRun(run), steps } }
}

/** Compares the draft with the installed version of the ability it improves. */
function compareWithInstalled(
  reader: Reader,
  proposal: StoredProposal,
  files: readonly DraftFile[],
): Pick<ProposalDetail, 'improves'> {
  const session = findProposalSession(reader, proposal)
  const target = session?.target_kind === 'existing_skill' ? session.target_skill_id : undefined
  const ability_id = target ?? proposal.ability_id
  if (ability_id === undefined) return {}
  const installed = findCurrentVersion(reader, ability_id)
  if (installed === undefined) return { improves: { ability_id, diffs: [], changes: [] } }
  // The installed version was made from this draft.
  if (installed.draft_hash === proposal.draft_hash) return {}
  const readContent = (name: string) => files.find((file) => file.name === name)?.content
  const { version } = installed
  const diffs = compareFiles(readInstalledFiles(reader, installed), readContent)
  const changes = listImprovementChanges(reader, { installed, proposal, files })
  return { improves: { ability_id, version, diffs, changes } }
}

/** The files of an installed version under the names they have in a draft. */
function readInstalledFiles(reader: Reader, installed: AbilityVersionRow): Contents {
  const { recipe, ability_id, version } = installed
  const files = listInstalledFiles(reader, { ability_id, version, place: 'canonical' })
  return (name) =>
    name === 'recipe.json' ? recipe && formatRecipe(recipe) : files.find(({ path }) => path === name)?.content
}
