/** The files of a small scene. Tests change single lines of them. */

export const SCENE_TOML = `
[manifest]
schema_version = "1"

[scene]
id = "sample-report"
skill = "sample-report"
tool = "collect"
kind = "browser_script"
version = "0.1.0"
category = "report_collection"

[bootstrap]
expected_domain = "reports.test"
target_url = "http://reports.test:8080/app/report"
page_title_keywords = ["线损"]

[deterministic]
include_keywords = ["线损", "月累计"]
exclude_keywords = ["知乎"]

[[params]]
name = "org"
resolver = "dictionary_entity"
required = true
prompt_missing = "缺少供电单位。"
prompt_ambiguous = "供电单位存在歧义。"

[params.resolver_config]
dictionary_ref = "references/org-dictionary.json"
output_label_field = "org_label"
output_code_field = "org_code"

[artifact]
type = "report-artifact"

[postprocess]
exporter = "xlsx_report"
auto_open = "excel"
`

export const SKILL_TOML = `
[skill]
name = "sample-report"
description = "A sample"

[[tools]]
name = "collect"
description = "Collects rows"
kind = "browser_script"
command = "scripts/collect.js"
`
