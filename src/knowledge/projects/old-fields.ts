import type { z } from 'zod'
import type { ProjectSourceBinding, putProjectBinding, SourceOfTruth } from '@apprentice/contracts/projects/bindings.ts'

type GivenBinding = Omit<z.infer<typeof putProjectBinding.body>, 'client_request_id' | 'schema_version'>
type BindingFields = Omit<ProjectSourceBinding, 'project_id' | 'created_at' | 'updated_at' | 'schema_version'>

/** Moves what older clients send to where it is kept now, and drops repeated values. */
export function readBindingFields(given: GivenBinding): BindingFields {
  const { onedrive_root, sharepoint_site_id, sharepoint_library_id, source_of_truth, ...rest } = given
  const first = (old: readonly (string | undefined)[], refs: readonly string[]): string[] =>
    dropRepeated([...old.filter((ref) => ref !== undefined), ...refs])
  return {
    ...rest,
    aliases: dropRepeated(rest.aliases),
    bucket_ids: dropRepeated(rest.bucket_ids),
    preferred_doc_types: dropRepeated(rest.preferred_doc_types),
    teams_refs: dropRepeated(rest.teams_refs),
    onedrive_refs: first([onedrive_root], rest.onedrive_refs),
    sharepoint_refs: first([sharepoint_site_id, sharepoint_library_id], rest.sharepoint_refs),
    source_of_truth: readSource(source_of_truth),
  }
}

function readSource(given: GivenBinding['source_of_truth']): SourceOfTruth {
  if (given === 'onedrive_sharepoint') return 'mixed'
  return given === 'local_files' || given === 'unknown' ? 'core_project' : given
}

const dropRepeated = (values: readonly string[]): string[] => [...new Set(values)]
