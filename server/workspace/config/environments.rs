//! Environments of both parties: the person's word on a tool counts, and the project's where they say nothing.

use crate::base::hidden::escape_hidden;
use crate::protocol::{ActivitySettings, Settings, is_environment_name};

/// Adds the project's environments to the person's `settings`; `loose` is called for each part that has no effect.
pub(super) fn tighten(settings: &mut Settings, project: &Settings, loose: &mut dyn FnMut(&str)) {
    for (environment, activities) in &project.activities {
        let own = settings.activities.entry(environment.clone()).or_default();
        for (tool, activity) in activities {
            match own.contains_key(tool) {
                true => loose(&format!("activities.{environment}.{tool} is set by the person too")),
                // Which tools it may replace is judged where the tools are known.
                false => {
                    own.insert(tool.clone(), ActivitySettings { of_project: true, ..activity.clone() });
                }
            }
        }
    }
    if settings.environment.is_none() && project.environment.is_some() {
        settings.environment.clone_from(&project.environment);
        settings.is_environment_of_project = true;
    }
}

/// Removes environments whose name is not valid, and adds a problem for each.
pub(super) fn drop_misnamed(settings: &mut Settings, problems: &mut Vec<String>) {
    settings.activities.retain(|name, _| {
        let is_name = is_environment_name(name);
        if !is_name {
            problems.push(format!("activities.{}: this is no name of an environment", escape_hidden(name)));
        }
        is_name
    });
}
