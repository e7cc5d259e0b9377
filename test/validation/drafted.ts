import { expect } from 'vitest'
import type { ProposalDetail } from '@apprentice/contracts/learn/proposal-review.ts'
import type { ValidationRun, ValidationStepResult } from '@apprentice/contracts/learn/validation.ts'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import { draftHash } from '../../src/domain/proposals/files.ts'
import {
  deleteDraftFiles,
  listDraftFiles,
  upsertDraftFile,
} from '../../src/store/proposals/draft-files.ts'
import { type Examples, replaceExamples } from '../../src/store/proposals/proposal-examples.ts'
import {
  findProposal,
  type StoredProposal,
  updateProposal,
} from '../../src/store/proposals/proposals.ts'
import type { Daemon } from '../kit/daemon.ts'
import { type Shown, showSession } from '../learn/shown-session.ts'

export interface Drafted {
  readonly session: string
  readonly proposal: string
  /** The proposal's address. */
  readonly url: string
}

/** A proposal whose checkpoints are fit, drafted from a session over the API. */
export async function drafted(daemon: Daemon, shown: Shown = {}): Promise<Drafted> {
  const session = await showSession(daemon, {
    goal: 'Share a note as PDF',
    steps: ['The share menu is open', { label: 'The PDF file is listed', hint: 'verification' }],
    ...shown,
  })
  const made = await daemon.post(
    `/api/learn/sessions/${session}/generate-proposal`,
    {},
    shown.token,
  )
  expect(made.statusCode, made.body).toBe(201)
  const proposal = made.json<{ proposal_id: string }>().proposal_id
  return { session, proposal, url: `/api/learn/proposals/${proposal}` }
}

export function stored(daemon: Daemon, id: string): StoredProposal {
  const proposal = daemon.system.store.read((reader) => findProposal(reader, id) ?? null)
  if (proposal === null) throw new Error(`no proposal ${id}`)
  return proposal
}

export async function detailOf(daemon: Daemon, { url }: Drafted): Promise<ProposalDetail> {
  const reply = await daemon.get(`${url}/detail`)
  expect(reply.statusCode, reply.body).toBe(200)
  return reply.json<ProposalDetail>()
}

export async function runsOf(daemon: Daemon, { url }: Drafted) {
  const reply = await daemon.get(`${url}/validation-runs?page_size=100`)
  expect(reply.statusCode, reply.body).toBe(200)
  return reply.json<{ runs: ValidationRun[]; steps: ValidationStepResult[]; total: number }>()
}

/** Puts a recipe into a draft as if it had been learned. */
export async function withRecipe(
  daemon: Daemon,
  { proposal, session }: Drafted,
  { recipe, examples = {} }: { recipe: Recipe | object; examples?: Examples },
): Promise<void> {
  await daemon.system.store.write((tx) => {
    const known = findProposal(tx, proposal)
    if (known === undefined) throw new Error(`no proposal ${proposal}`)
    const content = `${JSON.stringify(recipe, null, 2)}\n`
    upsertDraftFile(tx, proposal, { name: 'recipe.json', content })
    replaceExamples(tx, { proposal_id: proposal, learn_session_id: session }, examples)
    updateProposal(tx, { ...known, draft_hash: draftHash(listDraftFiles(tx, proposal)) })
  })
}

/** Changes a file of a draft behind everybody's back. */
export async function withFile(
  daemon: Daemon,
  { proposal }: Drafted,
  file: { name: string; content: string },
): Promise<void> {
  await daemon.system.store.write((tx) => upsertDraftFile(tx, proposal, file))
}

export async function withoutFiles(daemon: Daemon, { proposal }: Drafted): Promise<void> {
  await daemon.system.store.write((tx) => deleteDraftFiles(tx, proposal))
}
