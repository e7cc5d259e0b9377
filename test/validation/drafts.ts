import { expect } from 'vitest'
import type { ProposalDetail } from '@apprentice/contracts/learn/proposal-review.ts'
import type { ValidationRun, ValidationStepResult } from '@apprentice/contracts/learn/validation.ts'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import { hashDraft } from '../../src/domain/proposals/content/files.ts'
import { deleteDraftFiles, listDraftFiles, upsertDraftFile } from '../../src/store/proposals/draft-files.ts'
import { type Examples, replaceExamples } from '../../src/store/proposals/proposal-examples.ts'
import { findProposal, type StoredProposal, updateProposal } from '../../src/store/proposals/proposals.ts'
import type { Daemon } from '../kit/daemon.ts'
import { type DemonstratedSession, demonstrateSession } from '../learn/demonstrated-session.ts'

export interface DraftedProposal {
  readonly session: string
  readonly proposal: string
  /** The URL of the proposal. */
  readonly url: string
}

/** A proposal that passes the linter, drafted from a session over the API. */
export async function draftProposal(daemon: Daemon, demonstration: DemonstratedSession = {}): Promise<DraftedProposal> {
  const session = await demonstrateSession(daemon, {
    goal: 'Share a note as PDF',
    steps: ['The share menu is open', { label: 'The PDF file is listed', hint: 'verification' }],
    ...demonstration,
  })
  const made = await daemon.post(`/api/learn/sessions/${session}/generate-proposal`, {}, demonstration.token)
  expect(made.statusCode, made.body).toBe(201)
  const proposal = made.json<{ proposal_id: string }>().proposal_id
  return { session, proposal, url: `/api/learn/proposals/${proposal}` }
}

export function readProposal(daemon: Daemon, id: string): StoredProposal {
  const proposal = daemon.system.store.read((reader) => findProposal(reader, id) ?? null)
  if (proposal === null) throw new Error(`no proposal ${id}`)
  return proposal
}

export async function getDetail(daemon: Daemon, { url }: DraftedProposal): Promise<ProposalDetail> {
  const reply = await daemon.get(`${url}/detail`)
  expect(reply.statusCode, reply.body).toBe(200)
  return reply.json<ProposalDetail>()
}

export async function getRuns(daemon: Daemon, { url }: DraftedProposal) {
  const reply = await daemon.get(`${url}/validation-runs?page_size=100`)
  expect(reply.statusCode, reply.body).toBe(200)
  return reply.json<{ runs: ValidationRun[]; steps: ValidationStepResult[]; total: number }>()
}

/** Adds a recipe to a draft. */
export async function putRecipe(
  daemon: Daemon,
  { proposal, session }: DraftedProposal,
  { recipe, examples = {} }: { recipe: Recipe | object; examples?: Examples },
): Promise<void> {
  await daemon.system.store.write((tx) => {
    const stored = findProposal(tx, proposal)
    if (stored === undefined) throw new Error(`no proposal ${proposal}`)
    const content = `${JSON.stringify(recipe, null, 2)}\n`
    upsertDraftFile(tx, proposal, { name: 'recipe.json', content })
    replaceExamples(tx, { proposal_id: proposal, learn_session_id: session }, examples)
    updateProposal(tx, { ...stored, draft_hash: hashDraft(listDraftFiles(tx, proposal)) })
  })
}

/** Replaces a file of a draft without changing its hash. */
export async function putFile(
  daemon: Daemon,
  { proposal }: DraftedProposal,
  file: { name: string; content: string },
): Promise<void> {
  await daemon.system.store.write((tx) => upsertDraftFile(tx, proposal, file))
}

export async function deleteFiles(daemon: Daemon, { proposal }: DraftedProposal): Promise<void> {
  await daemon.system.store.write((tx) => deleteDraftFiles(tx, proposal))
}
