import type { z } from 'zod'
import type { ProjectSourceBinding, putProjectBinding } from '@apprentice/contracts/projects/bindings.ts'
import { Failure } from '../../failure/failure.ts'
import { readBindingFields } from '../../knowledge/projects/old-fields.ts'
import {
  type ProjectQuestion,
  type ProjectResolution,
  resolveProject,
} from '../../knowledge/projects/project-resolver.ts'
import * as store from '../../store/projects/bindings.ts'
import type { Reader } from '../../store/db/db.ts'
import type { CommandContext } from '../command/context.ts'
import { recordEvent, recordReceipt } from '../command/ledger.ts'

type GivenBinding = Omit<z.infer<typeof putProjectBinding.body>, 'client_request_id' | 'schema_version'>

export function putBinding(ctx: CommandContext, project_id: string, given: GivenBinding): ProjectSourceBinding {
  const before = store.findBinding(ctx.tx, project_id)
  const row: store.ProjectBindingRow = {
    project_id,
    ...readBindingFields(given),
    created_at: before?.created_at ?? ctx.now,
    updated_at: ctx.now,
    schema_version: 1,
  }
  store.upsertBinding(ctx.tx, row)
  record(ctx, project_id, before === undefined ? 'created' : 'changed')
  return row
}

export function removeBinding(ctx: CommandContext, project_id: string) {
  getBinding(ctx.tx, project_id)
  store.deleteBinding(ctx.tx, project_id)
  record(ctx, project_id, 'deleted')
  return { project_id, deleted: true, schema_version: 1 } as const
}

export function getBinding(reader: Reader, projectId: string): ProjectSourceBinding {
  const row = store.findBinding(reader, projectId)
  if (row === undefined) throw new Failure('PROJECT_BINDING_NOT_FOUND', 'No binding has this project id.')
  return row
}

/** The project that a question means, among those with a binding. Used by tools that take a project. */
export const findProject = (reader: Reader, question: ProjectQuestion): ProjectResolution =>
  resolveProject(question, store.listBindings(reader))

function record(ctx: CommandContext, project_id: string, change: 'created' | 'changed' | 'deleted'): void {
  recordEvent(ctx, `project/${project_id}`.slice(0, 200), 'project.binding.changed', { project_id, change })
  recordReceipt(ctx, 'project.binding.changed', {
    summary: `Binding of project ${project_id} ${change}.`.slice(0, 240),
    details: { project_id, change },
  })
}
