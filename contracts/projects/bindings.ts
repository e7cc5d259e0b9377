import { z } from 'zod'
import { DateTime, SchemaVersion, strictRequestBody } from '../base/fields.ts'
import { PageQuery, pageFields } from '../base/page.ts'
import { route } from '../base/route.ts'

const TAG = 'projects'
export const ProjectId = z.string().trim().min(1).max(160)
const Name = z.string().trim().min(1).max(160)
const Ref = z.string().trim().min(1).max(240)
const DocumentType = z.string().trim().min(1).max(80)

export const SourceOfTruth = z.enum(['doc7_bucket', 'core_project', 'sharepoint', 'onedrive', 'mixed'])
export type SourceOfTruth = z.infer<typeof SourceOfTruth>

export const AmbiguityPolicy = z.enum(['return_all', 'require_disambiguation', 'use_room_context_then_prompt'])
export type AmbiguityPolicy = z.infer<typeof AmbiguityPolicy>

const lists = {
  aliases: z.array(Name).max(50).default([]).describe('Other names under which people mention the project'),
  bucket_ids: z.array(Name).max(50).default([]),
  preferred_doc_types: z.array(DocumentType).max(50).default([]),
  sharepoint_refs: z.array(Ref).max(50).default([]),
  onedrive_refs: z.array(Ref).max(50).default([]),
  teams_refs: z.array(Ref).max(50).default([]).describe('Channels and chats; one that is the room breaks a tie'),
}

/** Where the documents of a project are. The project itself, its status and its deadlines are kept elsewhere. */
export const ProjectSourceBinding = z
  .object({
    project_id: ProjectId,
    ...lists,
    source_of_truth: SourceOfTruth,
    ambiguity_policy: AmbiguityPolicy,
    created_at: DateTime,
    updated_at: DateTime,
    schema_version: SchemaVersion,
  })
  .meta({ id: 'ProjectSourceBinding' })
export type ProjectSourceBinding = z.infer<typeof ProjectSourceBinding>

/** Values that older clients send. They are stored as their current counterparts. */
const OldSourceOfTruth = z.enum(['onedrive_sharepoint', 'local_files', 'unknown'])
export const OldBindingFields = {
  onedrive_root: Ref.optional().describe('Older name: becomes the first of `onedrive_refs`'),
  sharepoint_site_id: Ref.optional().describe('Older name: becomes one of `sharepoint_refs`'),
  sharepoint_library_id: Ref.optional().describe('Older name: becomes one of `sharepoint_refs`'),
}

const bindingParams = z.object({ projectId: ProjectId })

export const putProjectBinding = route({
  method: 'PUT',
  url: '/api/projects/bindings/:projectId',
  tag: TAG,
  summary: 'Store where the documents of a project are',
  privilege: 'admin',
  params: bindingParams,
  body: strictRequestBody({
    ...lists,
    source_of_truth: z.union([SourceOfTruth, OldSourceOfTruth]),
    ambiguity_policy: AmbiguityPolicy.default('use_room_context_then_prompt'),
    ...OldBindingFields,
  }),
  reply: ProjectSourceBinding,
})

export const listProjectBindings = route({
  method: 'GET',
  url: '/api/projects/bindings',
  tag: TAG,
  summary: 'List where the documents of projects are',
  privilege: 'read',
  query: PageQuery,
  reply: z.object({ bindings: z.array(ProjectSourceBinding), ...pageFields, schema_version: SchemaVersion }),
})

export const getProjectBinding = route({
  method: 'GET',
  url: '/api/projects/bindings/:projectId',
  tag: TAG,
  summary: 'Get where the documents of a project are',
  privilege: 'read',
  params: bindingParams,
  reply: ProjectSourceBinding,
  fails: ['PROJECT_BINDING_NOT_FOUND'],
})

export const deleteProjectBinding = route({
  method: 'DELETE',
  url: '/api/projects/bindings/:projectId',
  tag: TAG,
  summary: 'Forget where the documents of a project are; the documents stay',
  privilege: 'admin',
  params: bindingParams,
  reply: z.object({ project_id: ProjectId, deleted: z.literal(true), schema_version: SchemaVersion }),
  fails: ['PROJECT_BINDING_NOT_FOUND'],
})
