import { z } from 'zod'
import { DateTime } from '../../base/fields.ts'
import { M365Ref } from '../m365-families.ts'

const url = z.url().max(4000).optional()

export const SearchFields = {
  query: z.string().min(1).max(1000),
  entity_filters: z
    .array(z.enum(['files', 'sites', 'mail', 'people']))
    .max(4)
    .default([])
    .describe('Without one: files, sites, and whatever else the granted scopes cover'),
  max_results: z.int().min(1).max(100).default(20),
}

export const SearchResult = z.object({
  operation_family: z.literal('search'),
  hits: z.array(
    z.object({
      hit_id: M365Ref,
      source_kind: z.enum(['file', 'site', 'mail', 'person']),
      title: z.string().max(240),
      url,
      modified_at: DateTime.optional(),
    }),
  ),
})

export const SharepointListFields = {
  site_ref: M365Ref.describe('The id of a site, or its host and path: contoso.sharepoint.com:/sites/team'),
  drive_ref: M365Ref.optional().describe('A library of the site; without it the default one'),
  folder_ref: M365Ref.optional().describe('A folder: its id or a document_ref'),
  max_results: z.int().min(1).max(200).default(50),
}

export const SharepointListResult = z.object({
  operation_family: z.literal('sharepoint_list_documents'),
  documents: z.array(
    z.object({ document_ref: M365Ref, title: z.string().max(240), modified_at: DateTime.optional(), url }),
  ),
})

export const OnedriveFetchFields = {
  drive_item_ref: M365Ref.describe('A document_ref, or the id of an item of the own drive'),
  include_content: z.boolean().default(false).describe('Also download the file; `content_ref` names it'),
}

export const OnedriveFetchResult = z.object({
  operation_family: z.literal('onedrive_fetch_file'),
  document_ref: M365Ref,
  file_name: z.string().max(240),
  download_url: url,
  content_ref: M365Ref.optional(),
})

export const ProjectDocumentFields = {
  project_id: z.string().min(1).max(160),
  document_role: z.string().min(1).max(120).optional(),
  title_hint: z.string().min(1).max(240).optional(),
}

export const ProjectDocumentResult = z.object({
  operation_family: z.literal('project_get_latest_document'),
  project_id: z.string().max(160),
  document_ref: M365Ref.optional(),
  resolved_via: z.enum(['project_binding', 'connector_search', 'none']),
})

export const WordContentFields = {
  document_ref: M365Ref,
  include_comments: z.boolean().default(false).describe('Also count the comments'),
}

export const WordContentResult = z.object({
  operation_family: z.literal('word_fetch_content'),
  document_ref: M365Ref,
  content_ref: M365Ref.optional().describe('Names the text of the document'),
  comment_count: z.int().min(0).default(0),
})

export const WordCommentsFields = { document_ref: M365Ref, max_results: z.int().min(1).max(500).default(100) }

export const WordCommentsResult = z.object({
  operation_family: z.literal('word_fetch_comments'),
  document_ref: M365Ref,
  comments: z.array(
    z.object({
      comment_id: M365Ref,
      author: z.string().max(240).optional(),
      created_at: DateTime.optional(),
      preview: z.string().max(500).optional(),
    }),
  ),
})
